#pragma once
#include <string>

#include "engines/interface/language_model.h"
#include "experiments/drivers/generate/outcome.h"

namespace speclab::experiments {

/// A line on standard error: times, bytes and energy of a text that rounds made.
void print_summary(const std::string& drafter, const engines::ModelInfo& model,
                   const Outcome& outcome);

/// A line on standard error for --side-by-side.
void print_comparison(const GenerationRecord& plain, const GenerationRecord& drafted);

}  // namespace speclab::experiments
