#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "sim/core/token.h"

namespace speclab::experiments {

class Workbench;

/// Prepares the decoder of every cell whose verdicts are not replayed; those need the pilots and are prepared when first used.
void warm_up(Workbench& bench);

/// Measures the generations of the plan that the log lacks, in the plan's order.
void measure_generations(Workbench& bench);

/// Sixteen hexadecimal digits over the ids: equal text has equal hashes.
std::string output_hash(std::span<const Token> ids);

}  // namespace speclab::experiments
