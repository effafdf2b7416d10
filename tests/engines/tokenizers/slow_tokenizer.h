#pragma once
// Byte-pair encoding of words of letters, pair by pair, from a tokenizer.json read without a
// library. Nothing of engines/tokenizers helps it.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/engines/formats/slow_json.h"

namespace speclab::testing {

class SlowTokenizer {
 public:
  /// @throws SlowRefusal where the parts that it reads are not of their types
  explicit SlowTokenizer(const SlowJson& tokenizer);

  std::int64_t num_ids() const;  ///< the largest id and one
  const std::map<std::int64_t, std::string>& texts() const { return texts_; }
  /// Nothing where a letter has no token, or an added token stands in the word.
  std::optional<std::vector<std::int64_t>> encode(const std::string& word) const;

 private:
  std::map<std::int64_t, std::string> texts_;
  std::map<std::string, std::int64_t> ids_;
  std::vector<std::string> added_;
  std::vector<std::pair<std::string, std::string>> merges_;  ///< the earlier ones first
  bool whole_words_first_ = false;
};

}  // namespace speclab::testing
