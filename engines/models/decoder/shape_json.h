#pragma once
// The part of config.json that the folders of all Llama-shaped models share, in Hugging Face's
// names.

#include <nlohmann/json_fwd.hpp>

#include "engines/models/decoder/decoder_shape.h"

namespace speclab::engines {

class JsonNode;

/// Sizes and constants, not yet validated. @throws ModelFileError naming the field
DecoderShape read_llama_shape(const JsonNode& object);
/// The same fields as an object.
nlohmann::ordered_json llama_shape_json(const DecoderShape& config);

}  // namespace speclab::engines
