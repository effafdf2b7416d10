#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "sim/system/errors.h"

namespace speclab::experiments {

/// A folder among the system's temporary ones, which is gone afterwards.
class ScratchFolder {
 public:
  /// @throws WriteError
  ScratchFolder() : path_((std::filesystem::temp_directory_path() / "speclab-XXXXXX").string()) {
    if (!::mkdtemp(path_.data()))
      throw WriteError("cannot make a folder " + path_ + "; free space there");
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace speclab::experiments
