#pragma once
// The form of every matrix of a decoder, by what its file stores and what was asked for.

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/cpu/number_forms.h"
#include "engines/cpu/packed_matrix.h"
#include "engines/models/decoder_weights.h"

namespace speclab::engines::cpu {

/// Rows of one role in the blocks of a low-bit form.
struct LowBitRows {
  std::vector<std::byte> bytes;
  std::int64_t row_bytes = 0;

  StoredRows all() const { return {bytes, row_bytes}; }
  /// Part `part` of `parts` of the same size.
  StoredRows part(std::int64_t part, std::int64_t parts) const;
};

class MatrixForms {
 public:
  /// Both outlive it.
  MatrixForms(const DecoderShape& shape, const DecoderWeights& weights, const NumberForms& numbers)
      : shape_(shape), weights_(weights), numbers_(numbers) {}

  WeightForm of(TensorRole role, std::int32_t layer) const;
  /// Forms of roles that stand side by side in one matrix: all low-bit, or all expanded.
  std::vector<WeightForm> beside(std::initializer_list<TensorRole> roles, std::int32_t layer) const;
  /// beside() of queries, keys and values as parts of one matrix.
  /// @param query_columns, key_columns  of queries, and of keys and of values
  std::vector<PackedMatrix::Part> query_key_value(std::int32_t layer, std::int32_t query_columns,
                                                  std::int32_t key_columns) const;
  /// The form of gate and up, which are woven into each other.
  WeightForm woven(TensorRole gate, TensorRole up, std::int32_t layer) const;

  /// Matrices of one size, in whole vectors.
  struct Sized {
    std::vector<PackedMatrix::Part> parts;
    std::int64_t depth;
    std::int32_t count = 1, count_read = 1;  ///< read by a forward of one row
  };
  /// The matrix of a role by itself; of experts that of one.
  Sized sized(TensorRole role, std::int32_t layer) const;
  /// All matrices of a layer.
  std::vector<Sized> of_layer(std::int32_t layer) const;

  /// Bytes of memory that reading takes at its highest point: stored rows, and where they are moved
  /// or made of float32 values a copy of those.
  std::int64_t bytes_to_read(TensorRole role, std::int32_t layer) const;
  /// @param form  of(role, layer), a low-bit one
  LowBitRows read(TensorRole role, std::int32_t layer, WeightForm form) const;
  /// Whether low-bit rows are made of float32 values, whatever the file stores.
  bool quantises() const { return numbers_.weights == WeightChoice::q8; }
  /// Those rows. @param values  of whole rows of the role
  LowBitRows quantised(TensorRole role, std::span<const float> values) const;

  /// The types that are held as they are, "Q4_1, Q8_0", with those that had to be expanded; empty
  /// where nothing was to be kept.
  std::string described() const;

 private:
  std::optional<WeightForm> low_bit(TensorRole role, std::int32_t layer) const;
  bool fits(TensorRole role) const;
  std::int64_t row_bytes(TensorRole role, WeightForm form) const;

  const DecoderShape& shape_;
  const DecoderWeights& weights_;
  const NumberForms& numbers_;
};

}  // namespace speclab::engines::cpu
