#pragma once
// Checks of a plan's models that need no weights.

#include "experiments/drivers/plan/plan.h"

namespace speclab::experiments {

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
