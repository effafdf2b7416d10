#pragma once
#include "experiments/drivers/config/train_config.h"
#include "experiments/drivers/toml/schema.h"

namespace speclab::experiments {

using TrainKey = Key<TrainConfig>;

const std::vector<TrainKey>& train_keys();
/// Index of drafter.kind among them.
inline constexpr std::size_t kDrafterKindKey = 0;

/// Every key that a training of the config's kind has, as "table.key", and its value, but for those
/// that name files and folders: their paths tell nothing, and what is read from them the manifest
/// has by digest.
Provenance effective_train_config(const TrainConfig& config);

/// All of them with their defaults, as the reference lists them.
std::vector<DescribedKey> described_train_keys();

}  // namespace speclab::experiments
