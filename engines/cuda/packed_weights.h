#pragma once
// Weights of a Llama-family model as the device reads them.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace speclab::engines::cuda {

/// A matrix in bfloat16, in the order of packed_layout.h; rows beyond the last one are zero.
/// @param values      [rows, columns] @param columns  a multiple of 32
/// @param source_row  row of `values` that stands at a packed row
/// @throws DeviceError if columns is no multiple of 32
std::vector<std::uint16_t> pack(std::span<const float> values, std::int64_t columns,
                                const std::function<std::int64_t(std::int64_t)>& source_row);
/// Number of elements of a packed matrix.
std::int64_t packed_size(std::int64_t rows, std::int64_t columns);

}  // namespace speclab::engines::cuda
