#pragma once
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace speclab::experiments {

/// Reads a file line by line, in blocks; a last line without its line feed is none.
class WholeLines {
 public:
  /// @throws DataError as open_input
  explicit WholeLines(const std::string& path);
  /// The next line without its line feed, until next() is called again. @throws DataError if it
  /// cannot be read, or is above kLargestFileRead
  std::optional<std::string_view> next();
  /// Read so far; of the whole file where next() has said that there is no more.
  std::uint64_t num_bytes() const { return num_bytes_; }

 private:
  bool read_block();

  std::string path_;
  std::ifstream file_;
  std::string buffer_;
  std::uint64_t num_bytes_ = 0;
  std::size_t begin_ = 0,
              searched_ = 0;  ///< of the next line, and how far it has no line feed; in the buffer
};

}  // namespace speclab::experiments
