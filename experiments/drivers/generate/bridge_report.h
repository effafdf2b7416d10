#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/core/records.h"

namespace speclab::experiments {

/// Key `bridge` of what `generate --json` prints; null where both models share a tokenizer.
nlohmann::ordered_json bridge_json(const GenerationRecord& record);
/// A sentence on how drafts crossed between two tokenizers; empty where they did not.
std::string bridge_note(const GenerationRecord& record);

}  // namespace speclab::experiments
