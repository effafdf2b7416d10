#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace speclab::experiments {

/// Counts the rows that other processes write into the journals of a run and its shards; what was
/// counted is not read again.
class RowWatch {
 public:
  /// @param folder  of the run
  explicit RowWatch(std::string folder) : folder_(std::move(folder)) {}
  /// Rows since the last call; of the first call all. A line that is not finished counts later. A
  /// journal that was begun again counts anew.
  std::size_t num_new();

 private:
  std::size_t num_new_in(const std::string& journal);

  std::string folder_;
  std::map<std::string, std::uintmax_t> ends_;  ///< of what was counted, by journal
};

}  // namespace speclab::experiments
