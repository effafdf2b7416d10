#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "sim/system/path_lock.h"

namespace speclab::engines {

/// The folder of a training, made and locked before the work begins: what cannot be written is
/// better known before the text is made. A training that writes nothing leaves no folder.
class OutputFolder {
 public:
  /// @throws WriteError, LockedError
  explicit OutputFolder(const std::string& path);
  /// Takes away what it made, if nothing stands there.
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

 private:
  std::vector<std::filesystem::path> made_;  ///< the folder itself first, then its parents
  PathLock lock_;
};

}  // namespace speclab::engines
