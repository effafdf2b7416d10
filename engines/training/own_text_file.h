#pragma once
#include <string>
#include <vector>

#include "engines/training/own_text.h"

namespace speclab::engines {

/// The cache of generated text: a header with the digest of the settings, then one checksummed block a batch.
class OwnTextFile {
 public:
  /// Opens or makes the file; a torn last block is cut off.
  /// @throws DataError if it was made with other settings, WriteError
  OwnTextFile(const std::string& path, const std::string& digest);

  const std::vector<OwnText>& texts() const { return texts_; }
  void append(const std::vector<OwnText>& batch);

 private:
  void read(const std::string& bytes, const std::string& digest);

  std::string path_;
  std::vector<OwnText> texts_;
};

}  // namespace speclab::engines
