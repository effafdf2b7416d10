#pragma once
// Checks of a plan's models that need no weights, and of contexts that must hold prompts, the
// text behind them and its drafts.

#include <vector>

#include "experiments/drivers/measure/workbench.h"
#include "experiments/drivers/plan/plan.h"

namespace speclab::experiments {

/// @param context_length  of the target, tokens
/// @throws ConfigError naming the first prompt or pilot that has no room for its text
void check_target_room(const LoadedPlan& loaded, const std::string& target,
                       std::int32_t context_length);

/// A drafter of a target.
struct DraftRoom {
  std::string drafter;
  std::int32_t context_length = 0;  ///< tokens
  int levels = 0;                   ///< of its longest draft
};

/// A drafter drafts while its levels fit its context, and then nothing, without a word.
/// @throws ConfigError naming the first prompt or pilot where that would come
void check_drafter_room(const LoadedPlan& loaded, const std::string& target, const DraftRoom& room);

/// A drafter and its parts, as far as they read a transformer.
std::vector<engines::DrafterOptions> transformers_of(const engines::DrafterOptions& drafter);

/// @param name  of a target of the plan
/// @throws ConfigError if its weights are random and its name does not say so, or the other way
/// round, or if it has no tokenizer for the prompts; ModelFileError if its tokenizer cannot be read
void check_target(const std::string& name, const engines::ModelInfo& info,
                  const engines::Tokenizer* tokenizer, const std::string& tokenizer_problem);

/// Refuses a plan as loading it would, as far as that needs no weights of targets: missing files,
/// contexts that are too short for the prompts, drafters of another vocabulary. Devices and memory
/// are not looked at.
/// @throws ConfigError naming all models that have yet to be fetched, or the first other fault;
/// ModelFileError
void check_models(const Plan& plan, engines::Engines& engines);

}  // namespace speclab::experiments
