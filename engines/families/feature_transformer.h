#pragma once
// A drafter that reads the target's last hidden states: its folder holds the layers and names the
// target, whose embedding table and head rows it shares.

#include <memory>
#include <string>

#include "engines/models/decoder_weights.h"

namespace speclab::engines {

/// The content of such a folder's config.json.
struct FeatureTransformerConfig {
  DecoderShape shape;         ///< with feature_size and draft_vocabulary; its head is untied
  std::string target;         ///< catalogue name, file or folder of the target
  std::string target_sha256;  ///< of the target's weights
};

/// Whether config.json says so.
bool is_feature_transformer_folder(const std::string& folder);
/// @throws ModelFileError naming file and field
FeatureTransformerConfig read_feature_transformer_config(const std::string& path);
/// @throws WriteError
void write_feature_transformer_config(const FeatureTransformerConfig& config,
                                      const std::string& path);

/// The layers come from the folder; embedding and head rows from the target.
/// @throws ModelFileError if the target's weights are not those the folder was trained for, or have
/// another shape
std::unique_ptr<DecoderWeights> feature_transformer_weights(
    std::shared_ptr<const WeightSource> folder, const FeatureTransformerConfig& config,
    std::unique_ptr<DecoderWeights> target, const DecoderShape& target_shape);

}  // namespace speclab::engines
