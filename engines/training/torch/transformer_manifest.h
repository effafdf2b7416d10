#pragma once
#include <nlohmann/json_fwd.hpp>

#include "engines/training/torch/training_loop.h"

namespace speclab::engines {

struct TargetName {
  std::string name;    ///< catalogue name or file; empty for a language model, which has no target
  std::string sha256;  ///< of its weights
};

/// How a transformer was trained and how it does on the held-out texts of each temperature: kind,
/// target, own text, schedule, tokens, held_out, config, provenance.
nlohmann::ordered_json transformer_manifest(const TrainingTask& task, const TextSplit& texts,
                                            const TrainOptions& options, const TargetName& target,
                                            const TrainingOutcome& outcome);

}  // namespace speclab::engines
