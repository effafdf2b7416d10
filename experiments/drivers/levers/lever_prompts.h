#pragma once
#include <vector>

#include "engines/interface/engines.h"

namespace speclab::experiments {

/// Prompts of the experiment on levers, as one model reads them.
struct LeverPrompts {
  std::vector<engines::Request> alone;   ///< of categories whose answers copy from them
  std::vector<engines::Request> pilots;  ///< of the same categories, never measured
  std::vector<std::vector<engines::Request>> batches{};  ///< cut to one length
};

struct LeverPromptSettings {
  int per_category;
  int num_batches, batch, batch_prompt_tokens;
};

/// @throws ConfigError if the project's prompts are not there
LeverPrompts read_lever_prompts(const engines::Tokenizer& tokenizer,
                                const LeverPromptSettings& settings);

}  // namespace speclab::experiments
