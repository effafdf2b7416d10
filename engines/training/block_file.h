#pragma once
// A file that grows by checksummed blocks, so that what was finished before a kill is there afterwards.

#include <functional>
#include <string>

namespace speclab::engines {

class BlockFile {
 public:
  /// @param header  what the file begins with: a line of what it is, and whatever its blocks depend on
  BlockFile(std::string path, std::string header) : path_(std::move(path)), header_(std::move(header)) {}

  /// Makes the file, or shows its blocks one after the other; a torn last block is cut off.
  /// @throws DataError if it begins otherwise or a block's checksum is wrong, WriteError
  void open(const std::function<void(std::string block)>& read);
  /// Appends and syncs. @throws WriteError
  void append(const std::string& block) const;

 private:
  std::string path_, header_;
};

}  // namespace speclab::engines
