#pragma once
// How a role's values stand in a file's tensor, and how they come out: fused, transposed, or with
// rotary pairs side by side.

#include <span>
#include <vector>

#include "engines/models/decoder_weights.h"

namespace speclab::engines {

/// Roles that stand in one tensor with this one, in order. @throws ContractError if it stands alone
std::span<const TensorRole> neighbours_of(TensorRole role);
/// The dimension that counts a role's rows: behind the experts where there are some.
std::size_t row_dimension(TensorRole role);
/// [rows, columns] from [columns, rows].
std::vector<float> transposed(const std::vector<float>& values, std::int64_t rows,
                              std::int64_t columns);

/// Rows [first, first + count) of each block of `all` rows.
struct RowCut {
  std::int64_t blocks, all, first, count, width;
};
/// @tparam Value  float, a byte of stored rows, or the number of a row
template <typename Value>
std::vector<Value> cut_rows(const std::vector<Value>& values, const RowCut& cut);

/// Adjacent rotary pairs of every head become halves; values that do not turn stay.
/// @param width  values a row
template <typename Value>
std::vector<Value> halves_from_pairs(const std::vector<Value>& pairs, std::int32_t num_heads,
                                     const DecoderShape& shape, std::int64_t width);

}  // namespace speclab::engines
