#pragma once
// The part of config.json that the folders of all Llama-shaped models share, in Hugging Face's
// names.

#include <nlohmann/json_fwd.hpp>

#include "engines/models/llama/llama_config.h"

namespace speclab::engines {

class JsonNode;

/// Sizes and constants, not yet validated. @throws ModelFileError naming the field
LlamaConfig read_llama_shape(const JsonNode& object);
/// The same fields as an object.
nlohmann::ordered_json llama_shape_json(const LlamaConfig& config);

}  // namespace speclab::engines
