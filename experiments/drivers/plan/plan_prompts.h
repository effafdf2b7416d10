#pragma once
// The prompts and pilots of a plan.

#include <string>
#include <vector>

#include "experiments/drivers/plan/plan.h"

namespace speclab::experiments {

/// Reads both by the plan's config. Pilots of the measured set itself are its last prompts.
/// @throws ConfigError if a set lacks something, or both have a prompt of one id
void read_plan_prompts(Plan& plan);

/// Each category once, in alphabetical order.
std::vector<std::string> categories_of(const std::vector<Prompt>& prompts);

/// Says how many of the user's own prompts are measured; empty if all are, or for a set of the
/// project.
std::string selection_note(const Plan& plan);

/// Describes the user's own prompts in lines; empty for a set of the project.
std::string prompts_text(const Plan& plan);

}  // namespace speclab::experiments
