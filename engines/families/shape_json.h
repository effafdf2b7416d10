#pragma once
// The part of config.json that the folders of all Llama-shaped models share, in Hugging Face's
// names.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engines/models/decoder_shape.h"

namespace speclab::engines {

class JsonNode;

/// Sizes and constants, not yet validated. @throws ModelFileError naming the field
DecoderShape read_llama_shape(const JsonNode& object);
/// The same fields as an object.
nlohmann::ordered_json llama_shape_json(const DecoderShape& config);

/// Writes config.json, so that transformers loads the folder as LlamaForCausalLM.
void write_llama_config_json(const DecoderShape& shape, const std::string& path,
                             const std::string& dtype);

}  // namespace speclab::engines
