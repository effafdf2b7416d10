#pragma once
// Successor counts of every token, in compressed rows.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines {

/// A row's successors are in falling order of count, ties to the lower id.
class BigramTable {
 public:
  struct Successor {
    Token token = 0;
    std::uint32_t count = 0;
  };

  /// Counts neighbours within each of the texts, keeping the `max_successors` most frequent of every token.
  static BigramTable count(std::span<const std::vector<Token>> texts, std::int32_t vocab_size, std::size_t max_successors);
  /// @param path  a table, or the folder that speclab train wrote it into
  /// @throws ConfigError if there is no such file, ModelFileError naming file, offset and field
  static BigramTable load(const std::string& path);
  /// Written under a temporary name, then renamed. @throws WriteError
  void save(const std::string& path) const;

  std::int32_t vocab_size() const { return static_cast<std::int32_t>(row_begin_.size()) - 1; }
  std::int64_t num_successors() const { return static_cast<std::int64_t>(successors_.size()); }
  /// Empty for a token that was never followed by another. @throws ContractError if it is outside the vocabulary
  std::span<const Successor> successors(Token token) const;

 private:
  std::vector<std::uint32_t> row_begin_;  ///< [vocab_size + 1]
  std::vector<Successor> successors_;
};

/// The table's file: `path` itself, or bigram.bin in the folder `path`.
std::string bigram_file(const std::string& path);

}  // namespace speclab::engines
