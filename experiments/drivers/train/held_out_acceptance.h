#pragma once
// The acceptance of a new drafter: the share of its drafts that the target would keep in its own
// text, for prompts that the drafter was not trained on.

#include <string>

#include "engines/interface/engines.h"

namespace speclab::experiments {

/// Whether the training held out prompts that the target can answer.
bool holds_out_prompts(const engines::TrainOptions& options);

/// The acceptance.csv of a drafter's folder: sums by temperature, held-out prompt and depth, for
/// the first prompts, at most 16 of them. The target answers each with at most 32 tokens, and a
/// draft is made at every place of the answer.
/// @param options  of the training that ended; it holds out prompts
/// @throws ConfigError, ModelFileError if the drafter cannot be loaded
std::string held_out_acceptance(engines::Engines& engines, const engines::LoadedModel& target,
                                const engines::TrainOptions& options,
                                const engines::TrainCallbacks& callbacks);

}  // namespace speclab::experiments
