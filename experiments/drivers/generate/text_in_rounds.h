#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engines/interface/engines.h"
#include "experiments/drivers/generate/generate_options.h"
#include "experiments/drivers/generate/text_call.h"
#include "sim/core/speculation_length_policy.h"

namespace speclab::experiments {

/// Decodes one prompt in rounds of drafts, and prints text and summary unless --json or
/// --stream json is given. With --side-by-side it decodes plainly first.
/// @param measured  policy `auto` of this model: null before the first call, which measures costs
/// @return the object that --json prints
nlohmann::ordered_json text_in_rounds(const TextCall& call, const GenerateOptions& options,
                                      std::unique_ptr<SpeculationLengthPolicy>& measured);

/// Says where a drafter's context ended before the text did; empty where none ended.
/// @param num_tokens  of prompt and output
std::string drafter_context_note(engines::Engines& engines, const engines::DrafterOptions& drafter,
                                 std::size_t num_tokens);

}  // namespace speclab::experiments
