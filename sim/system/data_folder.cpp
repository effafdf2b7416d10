#include "sim/system/data_folder.h"

#include <cstdlib>
#include <filesystem>

#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab {
namespace {

namespace fs = std::filesystem;

/// PREFIX/share/speclab for a program PREFIX/bin/NAME.
fs::path installed_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return program.parent_path().parent_path() / "share/speclab";
}

}  // namespace

std::string data_folder() {
  std::error_code error;
  if (const char* named = std::getenv("SPECLAB_DATA"); named != nullptr && *named != '\0') {
    if (!fs::is_directory(fs::path(named) / "experiments", error))
      throw ConfigError(std::string("SPECLAB_DATA = ") + escaped(named) +
                        " has no folder experiments; name the folder share/speclab of an "
                        "installation, or the source tree");
    return named;
  }
  const fs::path installed = installed_folder();
  return fs::is_directory(installed, error) ? installed.string() : SPECLAB_SOURCE_DIR;
}

std::string fetched_file(const std::string& path) {
  std::string installed = data_folder() + "/fetched/" + path;
  std::error_code error;
  return fs::exists(installed, error) ? installed : user_cache_folder() + "/" + path;
}

}  // namespace speclab
