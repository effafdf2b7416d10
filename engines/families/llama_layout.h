#pragma once
// Names, norms and biases of the many families that follow Llama's layout.

#include "engines/families/family.h"
#include "engines/families/gguf_shape.h"
#include "engines/families/json_shape.h"

namespace speclab::engines {

/// Names of Llama, Mistral, Qwen 2 and 3, Granite and Gemma 1; others add to them.
std::span<const TensorPlace> llama_places();
/// Tensors of their older files that are no weights.
std::span<const char* const> llama_buffers();
/// Sizes, RMS norms, rotary positions, biases by attention_bias and mlp_bias, silu, a head of its
/// own.
DecoderShape llama_shape(const JsonShape& config, const RotaryRule& rule = {});
/// Metadata of an architecture of this layout.
DecoderShape llama_shape(const GgufShape& file, RotaryPairs pairs);

}  // namespace speclab::engines
