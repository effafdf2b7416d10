#pragma once
// Speeds of a target and of its drafter's training, by a few seconds of the real work in a folder
// that is gone afterwards.

#include <functional>
#include <vector>

#include "experiments/drivers/train/training_sizes.h"

namespace speclab::experiments {

/// What a probe works on.
struct ProbedTraining {
  engines::Engines& engines;
  const engines::LoadedModel& target;
  const TrainConfig& config;  ///< as settings_for_target gives it
  std::function<void()> check_interruption;
};

/// Makes a batch of texts of a few tokens. For drafters with steps it also makes a few texts of
/// full length, and takes steps on them.
/// @param prompts  that fit, at least 16
/// @throws what Engines::train throws for a target that has no such drafter
TrainingSpeeds measure_speeds(const ProbedTraining& training,
                              const std::vector<std::vector<Token>>& prompts);

/// How many texts of these prompts the cache file of the training's own text holds.
/// @param training.config.options.own_text.cache_file  may be missing
std::int64_t count_cached_texts(const ProbedTraining& training,
                                const std::vector<std::vector<Token>>& prompts);

}  // namespace speclab::experiments
