#include "engines/training/output_folder.h"

#include "sim/system/files.h"

namespace speclab::engines {
namespace {

/// The folder and those of its parents that are not there.
std::vector<std::filesystem::path> missing_folders(const std::string& folder) {
  std::vector<std::filesystem::path> missing;
  std::error_code none;
  std::filesystem::path path = std::filesystem::absolute(folder, none);
  for (; path.has_relative_path() && !std::filesystem::exists(path, none);
       path = path.parent_path())
    missing.push_back(path);
  return missing;
}

PathLock made_and_locked(const std::string& folder) {
  make_folder(folder);
  return PathLock(folder);
}

}  // namespace

OutputFolder::OutputFolder(const std::string& path)
    : made_(missing_folders(path)), lock_(made_and_locked(path)) {}

OutputFolder::~OutputFolder() {
  std::error_code none;  // a folder with something in it stays
  for (const std::filesystem::path& path : made_) std::filesystem::remove(path, none);
}

}  // namespace speclab::engines
