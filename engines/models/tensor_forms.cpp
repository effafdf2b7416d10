#include "engines/models/tensor_forms.h"

#include <algorithm>
#include <array>

#include "sim/system/errors.h"

namespace speclab::engines {

std::span<const TensorRole> neighbours_of(TensorRole role) {
  using enum TensorRole;
  static constexpr std::array<std::array<TensorRole, 3>, 2> kThrees = {
      {{query, key, value}, {query_bias, key_bias, value_bias}}};
  static constexpr std::array<std::array<TensorRole, 2>, 3> kPairs = {
      {{gate, up}, {gate_bias, up_bias}, {expert_gate, expert_up}}};
  for (const auto& three : kThrees)
    if (std::ranges::find(three, role) != three.end()) return three;
  for (const auto& pair : kPairs)
    if (std::ranges::find(pair, role) != pair.end()) return pair;
  throw ContractError("a role that stands alone");
}

std::size_t row_dimension(TensorRole role) {
  using enum TensorRole;
  return role == expert_gate || role == expert_up ? 1 : 0;
}

std::vector<float> transposed(const std::vector<float>& values, std::int64_t rows,
                              std::int64_t columns) {
  std::vector<float> result(values.size());
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c)
      result[static_cast<std::size_t>(r * columns + c)] =
          values[static_cast<std::size_t>(c * rows + r)];
  return result;
}

template <typename Value>
std::vector<Value> cut_rows(const std::vector<Value>& values, const RowCut& cut) {
  std::vector<Value> rows;
  rows.reserve(static_cast<std::size_t>(cut.blocks * cut.count * cut.width));
  for (std::int64_t b = 0; b < cut.blocks; ++b) {
    const auto begin = values.begin() + (b * cut.all + cut.first) * cut.width;
    rows.insert(rows.end(), begin, begin + cut.count * cut.width);
  }
  return rows;
}

template <typename Value>
std::vector<Value> halves_from_pairs(const std::vector<Value>& pairs, std::int32_t num_heads,
                                     const DecoderShape& shape, std::int64_t width) {
  std::vector<Value> halves = pairs;
  const std::int32_t turning = shape.rotary_size();
  for (std::int32_t head = 0; head < num_heads; ++head)
    for (std::int32_t row = 0; row < turning; ++row) {
      const std::int64_t from = std::int64_t{head} * shape.head_dim + row;
      const std::int64_t to =
          std::int64_t{head} * shape.head_dim + (row % 2) * turning / 2 + row / 2;
      std::copy_n(pairs.begin() + from * width, width, halves.begin() + to * width);
    }
  return halves;
}

template std::vector<float> cut_rows(const std::vector<float>&, const RowCut&);
template std::vector<std::byte> cut_rows(const std::vector<std::byte>&, const RowCut&);
template std::vector<std::int64_t> cut_rows(const std::vector<std::int64_t>&, const RowCut&);
template std::vector<float> halves_from_pairs(const std::vector<float>&, std::int32_t,
                                              const DecoderShape&, std::int64_t);
template std::vector<std::byte> halves_from_pairs(const std::vector<std::byte>&, std::int32_t,
                                                  const DecoderShape&, std::int64_t);
template std::vector<std::int64_t> halves_from_pairs(const std::vector<std::int64_t>&, std::int32_t,
                                                     const DecoderShape&, std::int64_t);

}  // namespace speclab::engines
