#pragma once
// Greedy decoding of one batch, timed as a whole.

#include <cstdint>
#include <vector>

#include "engines/interface/engines.h"

namespace speclab::experiments {

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
