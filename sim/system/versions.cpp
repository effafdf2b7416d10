#include "sim/system/versions.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab {
namespace {

bool has_one_of(const std::string& folder, std::initializer_list<const char*> files) {
  return std::ranges::any_of(files, [&](const char* file) {
    std::error_code none;
    return std::filesystem::exists(folder + "/" + file, none);
  });
}

bool has_weights(const std::string& folder) {
  return has_one_of(folder, {"ngram.bin", "model.safetensors"});
}

/// A drafter or another model, whole or in parts.
bool holds_model(const std::string& folder) {
  return has_weights(folder) ||
         has_one_of(folder, {"config.json", "manifest.json", "checkpoint.bin", "begun.toml"});
}

/// 0 if the name is none of a version.
std::int64_t version_of_name(const std::string& name) {
  std::int64_t version = 0;
  const char* end = name.data() + name.size();
  if (name.size() < 2 || name[0] != 'v' || name[1] < '1' || name[1] > '9') return 0;
  const auto [rest, error] = std::from_chars(name.data() + 1, end, version);
  return error == std::errc() && rest == end ? version : 0;
}

/// Without a slash at its end.
std::filesystem::path whole_path(const std::string& path) {
  const std::filesystem::path whole = std::filesystem::path(path).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

/// The newest version that can be loaded; empty if there is none.
std::string newest_with_weights(const std::string& folder) {
  std::vector<std::int64_t> versions = versions_in(folder);
  std::ranges::reverse(versions);
  for (const std::int64_t version : versions)
    if (const std::string path = version_folder(folder, version);
        has_weights(path) && is_finished_drafter(path))
      return path;
  return "";
}

/// The SHA-256 of the weights, which trainings write among the outermost members of manifest.json.
std::string recorded_digest(const std::string& version) {
  constexpr std::string_view kMember = "\n  \"sha256\": \"";
  const std::string manifest = read_file(version + "/manifest.json");
  const std::size_t at = manifest.find(kMember);
  if (at == std::string::npos) return "unknown";
  const std::size_t begin = at + kMember.size();
  return escaped(manifest.substr(begin, manifest.find('"', begin) - begin), 64);
}

[[noreturn]] void refuse_removed(const std::string& version) {
  const std::string newest = newest_with_weights(whole_path(version).parent_path().string());
  throw ConfigError(escaped(version, kLongestPath) +
                    ": the weights of this version were removed, their SHA-256 is " +
                    recorded_digest(version) + "; allowed: " +
                    (newest.empty() ? "a version with weights; none here has some"
                                    : escaped(newest, kLongestPath) + ", the newest version"));
}

}  // namespace

std::vector<std::int64_t> versions_in(const std::string& folder) {
  std::vector<std::int64_t> versions;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    if (const std::int64_t version = version_of_name(at->path().filename().string());
        version > 0 && at->is_directory(error))
      versions.push_back(version);
  std::ranges::sort(versions);
  return versions;
}

std::string version_folder(const std::string& folder, std::int64_t version) {
  return folder + (folder.ends_with('/') ? "v" : "/v") + std::to_string(version);
}

std::int64_t version_of_path(const std::string& path) {
  return version_of_name(whole_path(path).filename().string());
}

std::string version_name(const std::string& path) {
  const std::filesystem::path whole = whole_path(std::filesystem::absolute(path).string());
  return version_of_path(path) == 0 ? ""
                                    : (whole.parent_path().filename() / whole.filename()).string();
}

std::string newest_version(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_directory(path, none)) return path;
  if (version_of_path(path) > 0 && is_finished_drafter(path) && !has_weights(path))
    refuse_removed(path);
  const std::vector<std::int64_t> versions = versions_in(path);
  if (versions.empty() || holds_model(path)) return path;
  if (const std::string newest = newest_with_weights(path); !newest.empty()) return newest;
  if (const std::string last = version_folder(path, versions.back()); is_finished_drafter(last))
    refuse_removed(last);
  return path;
}

bool is_finished_drafter(const std::string& folder) {
  return has_one_of(folder, {"manifest.json"}) &&
         !has_one_of(folder, {"checkpoint.bin", "begun.toml"});
}

std::string training_folder(const std::string& folder) {
  if (holds_model(folder)) return folder;
  const std::vector<std::int64_t> versions = versions_in(folder);
  const std::int64_t last = versions.empty() ? 0 : versions.back();
  const std::string unfinished = version_folder(folder, last);
  const bool goes_on =
      last > 0 && (!is_finished_drafter(unfinished) || has_one_of(unfinished, {"acceptance.part"}));
  return goes_on ? unfinished : version_folder(folder, last + 1);
}

}  // namespace speclab
