#pragma once
#include <cstdint>
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

/// Greedy decoding of one batch, timed as a whole.
struct LeverDecoding {
  std::vector<std::vector<Token>> texts;
  std::int64_t tokens = 0, rounds = 0;  ///< of all sequences
  double seconds = 0;                   ///< of all rounds, without the prefill
  std::vector<int> rows;                ///< of every round of every sequence
};

/// @param draft_length  of prompt lookup; 0: plain decoding
LeverDecoding decode_batch(engines::Engines& engines, engines::LoadedModel& loaded,
                           const std::vector<engines::Request>& requests, int new_tokens,
                           int draft_length);

}  // namespace speclab::experiments
