#pragma once
// What a trained drafter was made of, in the manifest.json of its folder.

#include <nlohmann/json_fwd.hpp>

#include "engines/interface/training.h"

namespace speclab::engines {

/// @param held_out  texts that were not trained on
nlohmann::ordered_json own_text_json(const OwnTextOptions& own_text, std::int32_t held_out);

}  // namespace speclab::engines
