#pragma once
#include "engines/families/json_shape.h"

namespace speclab::engines {

/// Refuses files of models that complete no text from left to right.
/// @throws ModelFileError naming architectures, is_encoder_decoder or is_causal
void refuse_other_tasks(const JsonShape& config);
/// Refuses a second spelling of a size, or layer_types, that says something else than the shape.
/// @throws ModelFileError naming the field
void refuse_contradictions(const JsonShape& config, const DecoderShape& shape);

}  // namespace speclab::engines
