#pragma once
// Plain and assisted decoding of one model under every lever, alone and in batches.

#include <string>
#include <vector>

#include "analysis/tables/levers.h"
#include "experiments/drivers/levers/loaded_levers.h"

namespace speclab::experiments {

struct LeverSettings {
  std::vector<std::string> models;  ///< of the catalogue
  int per_category = 1;             ///< prompts, of categories whose answers copy from them
  int new_tokens = 24;
  int draft_length = 7;  ///< of prompt lookup, alone
  int num_batches = 3;
  int batch = 64;  ///< sequences decoded together
  int batch_prompt_tokens = 8;
  int batch_new_tokens = 6;
  int batch_draft_length = 3;
};

struct LeverTables {
  std::vector<analysis::LeverRow> rows;
  std::vector<analysis::StepRow> steps;
};

/// All levers of a model lie in memory together and take turns, prompt by prompt. Drafted text is
/// compared with plain text.
/// @throws ConfigError if a model is not there; Error if drafted text differs from plain text
LeverTables measure_levers(engines::Engines& engines, const LeverSettings& settings,
                           const SayLine& say);

}  // namespace speclab::experiments
