#include "sim/core/model_name.h"

#include <filesystem>
#include <string_view>

#include "sim/system/versions.h"

namespace speclab {

std::string model_name_of_path(const std::string& path) {
  const std::filesystem::path whole = std::filesystem::path(path).lexically_normal();
  std::filesystem::path last = whole.has_filename() ? whole : whole.parent_path();
  if (version_of_path(path) > 0 && last.has_parent_path()) last = last.parent_path();
  const std::string cache = last.parent_path().parent_path().filename().string();
  const std::size_t name = cache.find("--", std::string_view("models--").size());
  if (last.parent_path().filename() == "snapshots" && cache.starts_with("models--"))
    return cache.substr(name == std::string::npos ? std::string_view("models--").size() : name + 2);
  return last.filename().string();
}

}  // namespace speclab
