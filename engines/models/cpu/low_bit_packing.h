#pragma once
// Rows of low-bit weights as a file stores them, into the records of weight_form.h and back.

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engines/models/cpu/weight_form.h"

namespace speclab::engines::cpu {

/// The form that holds a GGUF type as it is; nothing for a type that is expanded.
std::optional<WeightForm> low_bit_form(std::string_view gguf_type);
/// "Q4_1", "bfloat16"
std::string_view name_of(WeightForm form);

/// Puts one row of stored blocks into column `column` of a block of columns that is zero there.
/// @param row  depth / 32 or depth / 256 blocks of the form's GGUF type
void pack_row(WeightForm form, std::span<const std::byte> row, char* block, int column);

/// The weights of a column in float32, as the file's own rounding gives them.
void unpack_column(WeightForm form, const char* block, int column, int depth, float* out);

/// Blocks of Q8_0 with the nearest codes. @param values  a multiple of 32, finite
/// @source ggml's reference quantisation: scale = largest / 127 in half precision
std::vector<std::byte> quantised_to_q8_0(std::span<const float> values);

}  // namespace speclab::engines::cpu
