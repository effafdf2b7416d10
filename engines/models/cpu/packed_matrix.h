#pragma once
// A weight matrix in the order in which the kernels read it: one contiguous stream per block of
// columns.

#include <cstdint>
#include <span>

#include "engines/models/cpu/huge_buffer.h"
#include "engines/models/cpu/kernels.h"

namespace speclab::engines::cpu {

/// Packed [columns, depth] weights ("out_features, in_features").
/// Layout: [columns / 32][depth / s][32][s], s = 1 for float32 and 2 for bfloat16; padded columns
/// are zero.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  PackedMatrix(ElementType type, int columns, int depth);

  /// Packs rows_of_weights [columns, depth], float32, as columns from `first_column` on.
  void set_columns(int first_column, std::span<const float> weights);
  /// Packs gate and up, each [columns / 2, depth], so that block b holds 16 of each: for
  /// Epilogue::gate.
  void set_gate_up(std::span<const float> gate, std::span<const float> up);
  /// Row `column` of the original matrix in float32 (an embedding look-up).
  void read_column(int column, float* out) const;

  ElementType type() const { return type_; }
  int columns() const { return columns_; }
  int depth() const { return depth_; }
  int num_blocks() const { return (columns_ + kBlockColumns - 1) / kBlockColumns; }
  const void* data() const { return data_.get(); }
  std::int64_t bytes() const;
  /// bytes() of a matrix of this kind, and the memory that it takes.
  static std::int64_t data_bytes(ElementType type, std::int64_t columns, std::int64_t depth);
  static std::int64_t memory_bytes(ElementType type, std::int64_t columns, std::int64_t depth);

 private:
  /// Place of the column's first element: the next one, or pair of them, is kBlockColumns (pairs)
  /// further.
  std::int64_t begin_of(int column) const;
  void put(int column, const float* weights);

  ElementType type_ = ElementType::float32;
  int columns_ = 0;
  int depth_ = 0;
  HugeBuffer data_;
};

}  // namespace speclab::engines::cpu
