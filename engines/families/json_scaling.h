#pragma once
#include "engines/formats/json_file.h"
#include "engines/models/decoder_shape.h"

namespace speclab::engines {

/// The scaling that a table says: the object of rope_scaling or of rope_parameters.
/// @param config  of the table: where the original context may stand too
/// @param shape   with its context and the part of a head that turns
/// @throws ModelFileError if a number that the kind needs is missing or impossible, or a key is
/// unknown
RotaryScaling read_json_scaling(const JsonNode& table, const JsonNode& config,
                                const DecoderShape& shape);

}  // namespace speclab::engines
