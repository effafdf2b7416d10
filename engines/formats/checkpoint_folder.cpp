#include "engines/formats/checkpoint_folder.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "engines/formats/input_file.h"
#include "engines/formats/json_file.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr const char* kSingleFile = "model.safetensors";
constexpr const char* kIndexFile = "model.safetensors.index.json";

/// A shard's name comes out of a file, so it may only name a file of the same folder. That file may
/// be a link, as all files of the hub's cache are.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
}

/// Also false where links lead in a circle.
bool is_there(const std::filesystem::path& path) {
  std::error_code none;
  return std::filesystem::exists(path, none);
}

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;

}  // namespace

CheckpointFolder CheckpointFolder::open(std::string folder) {
  CheckpointFolder checkpoint(std::move(folder));
  refuse_other_folder(checkpoint.folder_);
  checkpoint.config_ = read_json_file(checkpoint.config_path());
  const std::filesystem::path path(checkpoint.folder_);
  if (is_there(path / kSingleFile)) {
    checkpoint.add_shard(kSingleFile);
  } else if (is_there(path / kIndexFile)) {
    checkpoint.add_shards_of_index();
  } else {
    refuse_folder_without_weights(checkpoint.folder_);
  }
  return checkpoint;
}

std::optional<std::string> CheckpointFolder::tokenizer_path() const {
  const std::string path = folder_ + "/tokenizer.json";
  return is_there(path) ? std::optional(path) : std::nullopt;
}

std::vector<std::string> CheckpointFolder::weight_paths() const {
  std::vector<std::string> paths;
  for (const SafetensorsFile& shard : shards_) paths.push_back(shard.path());
  return paths;
}

std::vector<float> CheckpointFolder::read_float32(const std::string& name) const {
  return shard_with(name).read_float32(name);
}

bool CheckpointFolder::have_same_values(const std::string& a, const std::string& b) const {
  if (tensor(a).dtype != tensor(b).dtype) return WeightSource::have_same_values(a, b);
  return have_same_bytes(stored_bytes(a), stored_bytes(b));
}

void CheckpointFolder::add_shard(const std::string& name) {
  shards_.push_back(SafetensorsFile::open(folder_ + "/" + name));
  for (const TensorInfo& tensor : shards_.back().tensors()) {
    if (!table_.insert(tensor)) {
      throw_model_file_error(
          shards_.back().path(), 0,
          {"tensor '" + escaped(tensor.name, 64) + "'", "in another shard too", "each name once"});
    }
    shard_of_.push_back(shards_.size() - 1);
  }
}

void CheckpointFolder::require_all_there(const std::string& index_path,
                                         const std::set<std::string>& names) const {
  std::vector<std::string> missing;
  for (const std::string& name : names)
    if (!is_there(std::filesystem::path(folder_) / name)) missing.push_back(name);
  if (missing.empty()) return;
  throw_model_file_error(index_path, 0,
                         {"weight_map",
                          fmt::format("{} of {} shards missing, the first of them {}",
                                      missing.size(), names.size(), escaped(missing.front(), 64)),
                          "all of them in the same folder", "download the missing ones"});
}

void CheckpointFolder::add_shards_of_index() {
  const std::string index_path = folder_ + "/" + kIndexFile;
  const nlohmann::json index = read_json_file(index_path);
  const JsonNode weight_map = JsonNode(index, index_path).at("weight_map");
  std::set<std::string> names;
  for (const std::string& tensor : weight_map.keys()) {
    const JsonNode shard = weight_map.at(tensor);
    if (!is_plain_name(shard.as_string()))
      shard.fail(shard.shown(), "the name of a file in the same folder");
    names.insert(shard.as_string());
  }
  require_all_there(index_path, names);
  for (const std::string& name : names) add_shard(name);
  for (const std::string& tensor : weight_map.keys()) {
    if (!contains(tensor))
      throw_model_file_error(
          index_path, 0,
          {"weight_map '" + escaped(tensor, 64) + "'", "no such tensor in that shard",
           "a tensor of the shard", "download index and shards from one place"});
  }
}

void check_recorded_digest(const std::string& folder, const std::string& file,
                           const std::string& found) {
  const std::string path = folder + "/manifest.json";
  std::error_code none;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, none))) return;
  const nlohmann::json manifest = read_json_file(path, {.max_bytes = kMaxBytes});
  if (!manifest.is_object() || !manifest.contains("kind") || !manifest.contains("sha256")) return;
  const std::string recorded = JsonNode(manifest, path).at("sha256").as_string();
  if (recorded != found)
    throw_model_file_error(
        folder + "/" + file, 0,
        {"sha256", found, escaped(recorded, 64) + ", as manifest.json says",
         "restore the file or train again; if you changed it on purpose, remove manifest.json"});
}

}  // namespace speclab::engines
