#pragma once
#include <string>

#include "engines/interface/engines.h"

namespace speclab::experiments {

/// Says where a drafter's context ended before the text did; empty where none ended.
/// @param num_tokens  of prompt and output
std::string drafter_context_note(engines::Engines& engines, const engines::DrafterOptions& drafter,
                                 std::size_t num_tokens);

}  // namespace speclab::experiments
