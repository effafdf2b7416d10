#pragma once
// What members of the Llama family may have and this decoder does not: refused, since ignoring it
// gives wrong text.

#include "engines/models/decoder/decoder_shape.h"

namespace speclab::engines {

class GgufFile;
class JsonNode;

/// Scaled or partial rotary positions, biases and experts.
/// @throws ModelFileError saying what was found, what is allowed and where
void refuse_variants(const GgufFile& file, const DecoderShape& config);
/// Scaled or partial rotary positions, biases and other activations. @param object  config.json
void refuse_variants(const JsonNode& object);

}  // namespace speclab::engines
