#pragma once
// Rows of low-bit weights as a file stores them, into the records of weight_form.h and back.

#include <cstddef>
#include <cstdint>
#include <span>

#include "engines/cpu/weight_form.h"

namespace speclab::engines::cpu {

/// Puts rows of stored blocks into neighbouring columns of a block of columns, whatever stood
/// there.
/// @param rows       of one column each, first_column + their number <= 32
/// @param row_bytes  of depth / 32 or depth / 256 blocks of the form's GGUF type
void pack_columns(WeightForm form, std::span<const std::byte* const> rows, std::int64_t row_bytes,
                  char* block, int first_column);

/// The weights of a column in float32, as the file's own rounding gives them.
void unpack_column(WeightForm form, const char* block, int column, int depth, float* out);

}  // namespace speclab::engines::cpu
