#pragma once
#include <vector>

#include "engines/models/decoder_shape.h"

namespace speclab::engines {

/// Models with random weights: sizes of SmolLM2's family, and published shapes with their own
/// layers. Those called "gated" have the sizes of OPT and GPT-2 with layers of Llama, which the
/// CUDA engine runs.
std::vector<DecoderShape> shape_models();

}  // namespace speclab::engines
