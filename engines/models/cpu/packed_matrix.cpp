#include "engines/models/cpu/packed_matrix.h"

#include "engines/models/cpu/bfloat16.h"
#include "sim/core/errors.h"

namespace speclab::engines::cpu {
PackedMatrix::PackedMatrix(ElementType type, int columns, int depth)
    : type_(type), columns_(columns), depth_(depth) {
  SPECLAB_EXPECT(columns > 0 && depth > 0 && depth % 2 == 0,
                 "a packed matrix has columns and an even depth");
  data_ = make_huge_buffer(static_cast<std::size_t>(bytes()));
}

std::int64_t PackedMatrix::bytes() const { return data_bytes(type_, columns_, depth_); }

std::int64_t PackedMatrix::data_bytes(ElementType type, std::int64_t columns, std::int64_t depth) {
  const std::int64_t blocks = (columns + kBlockColumns - 1) / kBlockColumns;
  return blocks * kBlockColumns * depth * (type == ElementType::float32 ? 4 : 2);
}

std::int64_t PackedMatrix::memory_bytes(ElementType type, std::int64_t columns,
                                        std::int64_t depth) {
  return static_cast<std::int64_t>(
      huge_buffer_bytes(static_cast<std::size_t>(data_bytes(type, columns, depth))));
}

std::int64_t PackedMatrix::begin_of(int column) const {
  const std::int64_t block = column / kBlockColumns, lane = column % kBlockColumns;
  return block * depth_ * kBlockColumns + lane * (type_ == ElementType::float32 ? 1 : 2);
}

void PackedMatrix::put(int column, const float* weights) {
  if (type_ == ElementType::float32) {
    float* out = static_cast<float*>(data_.get()) + begin_of(column);
    for (std::int64_t k = 0; k < depth_; ++k) out[k * kBlockColumns] = weights[k];
  } else {
    BFloat16* out = static_cast<BFloat16*>(data_.get()) + begin_of(column);
    for (std::int64_t k = 0; k < depth_; k += 2) {
      out[k * kBlockColumns] = to_bfloat16(weights[k]);
      out[k * kBlockColumns + 1] = to_bfloat16(weights[k + 1]);
    }
  }
}

void PackedMatrix::set_columns(int first_column, std::span<const float> weights) {
  const int count = static_cast<int>(weights.size() / static_cast<std::size_t>(depth_));
  SPECLAB_EXPECT(first_column + count <= columns_, "columns beyond the matrix");
  for (int c = 0; c < count; ++c)
    put(first_column + c, weights.data() + static_cast<std::int64_t>(c) * depth_);
}

void PackedMatrix::set_gate_up(std::span<const float> gate, std::span<const float> up) {
  SPECLAB_EXPECT(
      gate.size() == up.size() &&
          gate.size() * 2 == static_cast<std::size_t>(columns_) * static_cast<std::size_t>(depth_),
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
  if (type_ == ElementType::float32) {
    const float* in = static_cast<const float*>(data_.get()) + begin_of(column);
    for (std::int64_t k = 0; k < depth_; ++k) out[k] = in[k * kBlockColumns];
  } else {
    const BFloat16* in = static_cast<const BFloat16*>(data_.get()) + begin_of(column);
    for (std::int64_t k = 0; k < depth_; ++k)
      out[k] = from_bfloat16(in[(k & ~std::int64_t{1}) * kBlockColumns + (k & 1)]);
  }
}

}  // namespace speclab::engines::cpu
