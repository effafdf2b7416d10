#pragma once
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "sim/system/errors.h"

namespace speclab::experiments {

/// Keeps a command from writing among files of another purpose. Hidden files and
/// unfinished ones, NAME.part, do not count.
/// @param own  names of files and folders that the command itself writes: where one of them is, the
/// folder is the command's
/// @throws ConfigError naming some of the files, and the option that allows them
void refuse_used_folder(const std::string& folder, std::span<const std::string> own);

/// Names that `speclab run` gives in its folder and that are hardly a user's, as times.csv may be.
std::vector<std::string> names_in_run_folder();

/// @throws ConfigError if two of them are one folder
void expect_distinct_folders(const std::vector<std::string>& folders);

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
