#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "engines/training/torch/training_loop.h"
#include "engines/training/torch/transformer_manifest.h"

namespace speclab::engines {

/// A training of a drafter that reads hidden states, but for the schedule.
struct HiddenStateTraining {
  const TextSplit& texts;
  TrainingTask& task;
  TargetName target;
  std::string digest;                ///< of all that the steps depend on
  nlohmann::ordered_json objective;  ///< for the manifest
};

/// Trains, from where distillation.start_from ended if it is given, and writes config.json,
/// model.safetensors in bfloat16, training.csv and manifest.json, which holds the other's manifest
/// too. @param write_config  of config.json
/// @throws ConfigError if there is less text than a validation set and a batch; WriteError
void train_hidden_state_drafter(const HiddenStateTraining& training, const TrainOptions& options,
                                const TrainCallbacks& callbacks,
                                const std::function<void(const std::string& path)>& write_config);

/// Of everything in the options that the steps depend on.
std::string distillation_digest(const DistillationOptions& options);

}  // namespace speclab::engines
