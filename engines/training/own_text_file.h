#pragma once
#include <string>
#include <vector>

#include "engines/training/block_file.h"
#include "engines/training/own_text.h"

namespace speclab::engines {

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
