#pragma once
// Low-bit forms and the block formats of files that they keep.

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engines/cpu/weight_form.h"
#include "engines/formats/dequantise.h"

namespace speclab::engines::cpu {

/// The form that holds a GGUF type as it is; nothing for a type that is expanded.
std::optional<WeightForm> low_bit_form(std::string_view gguf_type);
/// "Q4_1", "bfloat16"
std::string_view name_of(WeightForm form);
/// @param form  a low-bit one
const BlockFormat& block_format(WeightForm form);

/// Blocks of Q8_0 with the nearest codes. @param values  a multiple of 32, finite
/// @source ggml's reference quantisation: scale = largest / 127 in half precision
std::vector<std::byte> quantised_to_q8_0(std::span<const float> values);

}  // namespace speclab::engines::cpu
