#pragma once
#include "engines/formats/json_file.h"
#include "engines/models/decoder/decoder_shape.h"

namespace speclab::engines {

/// Rotary base, part and scaling of a config.json. Transformers 4 writes rope_theta and
/// rope_scaling
/// ("type" in the oldest files), transformers 5 rope_parameters, for Gemma 3 one for each kind of
/// layer.
/// @throws ModelFileError naming the field
void read_json_rotary(const JsonNode& config, DecoderShape& shape, float theta, double part);

}  // namespace speclab::engines
