#pragma once
#include <vector>

#include "engines/interface/round_decoder.h"
#include "sim/core/token.h"

namespace speclab::experiments {

class Workbench;

/// Lets a new decoder read the longest prompt and run two rounds, so that no first touch of memory
/// is timed later.
/// @param prompts  [prompt][token], at least one @param batch  sequences that it decodes together
void warm_up(engines::RoundDecoder& decoder, const std::vector<std::vector<Token>>& prompts,
             int batch);

/// Prepares the decoder of every cell whose verdicts are not replayed; those need the pilots and
/// are prepared when first used. One that cannot be prepared is left to its generations, which then
/// fail.
void warm_up(Workbench& bench);

}  // namespace speclab::experiments
