#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "engines/formats/json_file.h"
#include "engines/formats/safetensors_file.h"

namespace speclab::engines {

/// A Hugging Face folder: config.json with model.safetensors or the shards of
/// model.safetensors.index.json.
class CheckpointFolder : public WeightSource {
 public:
  /// @throws ModelFileError if a part is missing or damaged, or a shard's name leaves the folder
  static CheckpointFolder open(std::string folder);

  JsonNode config() const { return {config_, config_path()}; }
  std::string config_path() const { return folder_ + "/config.json"; }
  /// tokenizer.json, where the folder has one.
  std::optional<std::string> tokenizer_path() const;
  const std::vector<TensorInfo>& tensors() const override { return table_.tensors(); }
  bool contains(const std::string& name) const override { return table_.contains(name); }
  const TensorInfo& tensor(const std::string& name) const override {
    return tensors()[table_.index_of(name, folder_)];
  }
  std::vector<float> read_float32(const std::string& name) const override;
  TensorBytes stored_bytes(const std::string& name) const override {
    return shard_with(name).stored_bytes(name);
  }
  /// Compares bytes where both have one type, so that large tables need no memory.
  bool have_same_values(const std::string& a, const std::string& b) const override;
  const std::string& path() const override { return folder_; }
  std::vector<std::string> weight_paths() const override;

 private:
  explicit CheckpointFolder(std::string folder) : folder_(std::move(folder)) {}
  const SafetensorsFile& shard_with(const std::string& name) const {
    return shards_[shard_of_[table_.index_of(name, folder_)]];
  }
  void add_shard(const std::string& name);
  void add_shards_of_index();
  void require_all_there(const std::string& index_path, const std::set<std::string>& names) const;

  std::string folder_;
  nlohmann::json config_;
  std::vector<SafetensorsFile> shards_;
  TensorTable table_;
  std::vector<std::size_t> shard_of_;  ///< in the order of the table
};

/// Compares weights with what the manifest.json that a training left beside them says, for a
/// flipped bit of a weight is a valid file. Folders without one of ours, which has `kind` and
/// `sha256`, pass.
/// @param file   of the weights, in the folder
/// @param found  their SHA-256
/// @throws ModelFileError if the manifest tells another one, or is no JSON
void check_recorded_digest(const std::string& folder, const std::string& file,
                           const std::string& found);

// Folders that people give by mistake: adapters, quantised weights of other tools, caches.

/// Refuses folders that are no model in Hugging Face's layout with weights as they are.
/// @throws ModelFileError naming what the folder is, and what to give instead
void refuse_other_folder(const std::string& folder);

/// Refuses a folder in Hugging Face's layout without weights that are read.
/// @throws ModelFileError naming the weights that it has instead, and what to do with them
[[noreturn]] void refuse_folder_without_weights(const std::string& folder);

}  // namespace speclab::engines
