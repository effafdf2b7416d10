#pragma once
// A weight matrix in the order in which the kernels read it: one contiguous stream per block of
// columns.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engines/cpu/huge_buffer.h"
#include "engines/cpu/kernels.h"

namespace speclab::engines::cpu {

/// Rows of a matrix as a file stores them, one behind the other. The form fits the file's type.
struct StoredRows {
  std::span<const std::byte> bytes;
  std::int64_t row_bytes = 0;
};

/// Makes blocks of a matrix that holds none, each when its product is taken.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  /// Takes no memory.
  /// @param out     block_bytes(form, depth)
  /// @param values  room for [depth]
  virtual void make_block(WeightForm form, int block, char* out, std::span<float> values) const = 0;
};

/// Puts a column into a block of an expanded form. @param values  [depth]
void pack_values(WeightForm form, std::span<const float> values, char* block, int column);

/// Packed [columns, depth] weights ("out_features, in_features"). Columns of several forms may
/// stand side by side.
/// Layout of a block of 32 columns: float32 [depth][32], bfloat16 [depth / 2][32][2], records of
/// weight_form.h; padded columns are zero.
class PackedMatrix {
 public:
  /// Columns of one form; all parts but the last are whole blocks.
  struct Part {
    WeightForm form;
    int columns;
  };

  PackedMatrix() = default;
  /// @param depth  even, for low-bit forms a multiple of 32
  PackedMatrix(std::vector<Part> parts, int depth);
  PackedMatrix(WeightForm form, int columns, int depth)
      : PackedMatrix(std::vector{Part{form, columns}}, depth) {}

  /// One that holds no weights.
  PackedMatrix(std::vector<Part> parts, int depth, std::shared_ptr<const BlockSource> source);

  /// Packs rows_of_weights [columns, depth], float32, as columns from `first_column` on. They
  /// belong to one part.
  void set_columns(int first_column, std::span<const float> weights);
  void set_columns(int first_column, StoredRows rows);
  /// Packs gate and up, each [columns / 2, depth], so that block b holds 16 of each: for
  /// Epilogue::gate.
  void set_gate_up(std::span<const float> gate, std::span<const float> up);
  void set_gate_up(StoredRows gate, StoredRows up);
  /// Row `column` of the original matrix in float32 (an embedding look-up).
  void read_column(int column, float* out) const;

  int columns() const { return columns_; }
  int depth() const { return depth_; }
  int num_blocks() const { return blocks_of(columns_); }
  bool is_low_bit() const { return !parts_.empty() && cpu::is_low_bit(parts_.front().form); }
  std::int64_t bytes() const;

  /// A part with its place.
  struct PlacedPart {
    WeightForm form;
    int first_block, end_block;
    const void* data;  ///< of its first block; null if a source makes them
  };
  std::span<const PlacedPart> placed_parts() const { return placed_; }
  const BlockSource* source() const { return source_.get(); }

  /// bytes() of a matrix of one form.
  static std::int64_t data_bytes(WeightForm form, std::int64_t columns, std::int64_t depth);
  /// Memory that a matrix takes.
  static std::int64_t memory_bytes(std::span<const Part> parts, std::int64_t depth);

 private:
  static constexpr int blocks_of(int columns) {
    return (columns + kBlockColumns - 1) / kBlockColumns;
  }
  struct ColumnPlace {
    WeightForm form;
    char* block;
    int column;  ///< in the block
  };
  ColumnPlace place_of(int column) const;
  void place_parts();
  void set_sizes();
  void put(int column, const float* weights);
  /// Rows [first_row, first_row + count) into neighbouring columns of one block.
  void put(int column, StoredRows rows, int first_row, int count);

  std::vector<Part> parts_;
  int columns_ = 0;
  int depth_ = 0;
  HugeBuffer data_;  ///< null where there is a source
  std::shared_ptr<const BlockSource> source_;
  std::vector<PlacedPart> placed_;
};

/// A matrix of one form. @param weights  [columns, depth] @param rows  as many
PackedMatrix packed(WeightForm form, int columns, int depth, std::span<const float> weights);
PackedMatrix packed(WeightForm form, int columns, int depth, StoredRows rows);

}  // namespace speclab::engines::cpu
