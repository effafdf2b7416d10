#include "experiments/drivers/commands/drafter_folders.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>

#include "engines/interface/names.h"
#include "engines/interface/training.h"
#include "sim/core/setting.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/json_text.h"
#include "sim/system/versions.h"

namespace speclab::experiments {
namespace {

using Json = nlohmann::ordered_json;

/// A drafter with versions is looked up as its newest one.
std::string folder_of(const std::string& path) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) return newest_version(path);
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

/// The manifest of a drafter; empty if it is of something else.
std::optional<Json> drafter_manifest(const std::string& folder) {
  const std::string file = folder + "/manifest.json";
  if (std::error_code none; !std::filesystem::is_regular_file(file, none)) return std::nullopt;
  Json manifest = parsed_or_discarded<Json>(read_file(file));
  if (!manifest.is_object() || !manifest.contains("target")) return std::nullopt;
  const Json kind = manifest.value("kind", Json());
  const bool is_drafter =
      kind.is_string() && engines::is_among(kind.get<std::string>(), engines::kTrainedDrafterKinds);
  if (is_drafter) return manifest;
  return std::nullopt;
}

std::uintmax_t bytes_of(const std::string& folder) {
  std::uintmax_t bytes = 0;
  for (const char* name : {"ngram.bin", "model.safetensors"}) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(folder + "/" + name, error);
    if (!error) bytes += size;
  }
  return bytes;
}

/// "held_out" without the rows' sources: the first row that knows the target.
void add_results(const Json& manifest, Json& page) {
  for (const Json& row : manifest.value("held_out", Json::array()))
    if (row.is_object() && row.contains("greedy_agreement")) {
      for (const char* key : {"acceptance_rate", "acceptance_rate_at_least", "greedy_agreement"})
        if (row.contains(key)) page[std::string("held_out_") + key] = row[key];
      return;
    }
}

}  // namespace

std::optional<Json> described_drafter(const std::string& path) {
  const std::string folder = folder_of(path);
  const std::optional<Json> manifest = drafter_manifest(folder);
  if (!manifest) return std::nullopt;
  Json page{{"name", escaped(model_name_of_path(std::filesystem::absolute(folder).string()))}};
  for (const char* key : {"kind", "version", "target", "target_sha256", "order", "max_successors",
                          "ngrams", "tokens", "sha256"})
    if (manifest->contains(key)) page[key] = (*manifest)[key];
  page["bytes"] = bytes_of(folder);
  add_results(*manifest, page);
  return page;
}

std::vector<std::string> drafter_folders(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    if (drafter_manifest(folder_of(at->path().string()))) found.push_back(at->path().string());
  std::ranges::sort(found);
  return found;
}

}  // namespace speclab::experiments
