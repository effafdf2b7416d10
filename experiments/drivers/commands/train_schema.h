#pragma once
#include "experiments/drivers/commands/train_config.h"
#include "experiments/drivers/config/schema.h"

namespace speclab::experiments {

/// A key of a training config. @see kinds  of drafter that have it; empty: all
struct TrainKey : Key<TrainConfig> {
  std::vector<std::string> kinds{};
};

const std::vector<TrainKey>& train_keys();
/// Index of drafter.kind among them.
inline constexpr std::size_t kDrafterKindKey = 0;

/// All of them with their defaults, as the reference lists them.
std::vector<DescribedKey> described_train_keys();

}  // namespace speclab::experiments
