#pragma once
#include "engines/families/gguf_keys.h"
#include "engines/models/decoder_shape.h"

namespace speclab::engines {

/// Rotary base, part and scaling: keys of `rope.`, and the tensors of factors of Llama 3 and Phi 3.
/// @param shape  with its context and heads
/// @throws ModelFileError naming the key or tensor
void read_gguf_rotary(const GgufKeys& keys, DecoderShape& shape);

}  // namespace speclab::engines
