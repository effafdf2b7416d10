#include "engines/models/cpu/packed_matrix.h"

#include "engines/models/cpu/bfloat16.h"
#include "sim/core/errors.h"

namespace speclab::engines::cpu {
PackedMatrix::PackedMatrix(ElementType type, int columns, int depth) : type_(type), columns_(columns), depth_(depth) {
  SPECLAB_EXPECT(columns > 0 && depth > 0 && depth % 2 == 0, "a packed matrix has columns and an even depth");
  data_ = make_huge_buffer(static_cast<std::size_t>(bytes()));
}

std::int64_t PackedMatrix::bytes() const {
  return static_cast<std::int64_t>(num_blocks()) * kBlockColumns * depth_ * (type_ == ElementType::float32 ? 4 : 2);
}

std::int64_t PackedMatrix::offset(int column, int k) const {
  const int step = type_ == ElementType::float32 ? 1 : 2;
  const std::int64_t block = column / kBlockColumns, lane = column % kBlockColumns;
  return (block * (depth_ / step) + k / step) * kBlockColumns * step + lane * step + k % step;
}

void PackedMatrix::put(int column, const float* weights) {
  if (type_ == ElementType::float32) {
    float* data = static_cast<float*>(data_.get());
    for (int k = 0; k < depth_; ++k) data[offset(column, k)] = weights[k];
  } else {
    BFloat16* data = static_cast<BFloat16*>(data_.get());
    for (int k = 0; k < depth_; ++k) data[offset(column, k)] = to_bfloat16(weights[k]);
  }
}

void PackedMatrix::set_columns(int first_column, std::span<const float> weights) {
  const int count = static_cast<int>(weights.size() / static_cast<std::size_t>(depth_));
  SPECLAB_EXPECT(first_column + count <= columns_, "columns beyond the matrix");
  for (int c = 0; c < count; ++c) put(first_column + c, weights.data() + static_cast<std::int64_t>(c) * depth_);
}

void PackedMatrix::set_gate_up(std::span<const float> gate, std::span<const float> up) {
  SPECLAB_EXPECT(gate.size() == up.size() && gate.size() * 2 == static_cast<std::size_t>(columns_) * static_cast<std::size_t>(depth_),
                 "gate and up are halves of the matrix");
  constexpr int kHalf = kBlockColumns / 2;
  for (int c = 0; c < columns_ / 2; ++c) {
    const int column = c / kHalf * kBlockColumns + c % kHalf;
    put(column, gate.data() + static_cast<std::int64_t>(c) * depth_);
    put(column + kHalf, up.data() + static_cast<std::int64_t>(c) * depth_);
  }
}

void PackedMatrix::read_column(int column, float* out) const {
  SPECLAB_EXPECT(column >= 0 && column < columns_, "column outside the matrix");
  for (int k = 0; k < depth_; ++k) {
    const std::int64_t at = offset(column, k);
    out[k] = type_ == ElementType::float32 ? static_cast<const float*>(data_.get())[at]
                                           : from_bfloat16(static_cast<const BFloat16*>(data_.get())[at]);
  }
}

}  // namespace speclab::engines::cpu
