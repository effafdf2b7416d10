#pragma once
// Generated text in a file that survives a kill.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engines/training/own_text.h"
#include "sim/system/files.h"

namespace speclab::engines {

/// A file that grows by checksummed blocks, so that what was finished before a kill is there
/// afterwards.
class BlockFile {
 public:
  /// @param header  what the file begins with: a line of what it is, and whatever its blocks depend
  /// on
  BlockFile(std::string path, std::string header)
      : path_(std::move(path)), header_(std::move(header)) {}

  /// Makes the file, or shows its blocks one after the other, and keeps other processes off; a torn
  /// or damaged last block is cut off.
  /// @throws ConfigError if it is a file of another kind, DataError if it depends on something else
  /// or another block's checksum is wrong; LockedError, WriteError
  void open(const std::function<void(std::string block)>& read);
  /// Appends and syncs. @throws WriteError
  void append(const std::string& block) const;

 private:
  void check_header(const std::string& found) const;
  [[noreturn]] void throw_damage(std::uint64_t at) const;

  std::string path_, header_;
  PathLock lock_;
};

/// The cache of generated text: a header with the digest of the settings, then one checksummed
/// block a batch.
class OwnTextFile {
 public:
  /// Opens or makes the file.
  /// @throws DataError if it was made with other settings, WriteError
  OwnTextFile(const std::string& path, const std::string& digest);

  const std::vector<OwnText>& texts() const { return texts_; }
  void append(std::vector<OwnText> batch);
  /// The texts themselves, which may be large; the object is not used afterwards.
  std::vector<OwnText> release() { return std::move(texts_); }

 private:
  BlockFile file_;
  std::vector<OwnText> texts_;
};

}  // namespace speclab::engines
