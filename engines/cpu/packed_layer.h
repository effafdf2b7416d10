#pragma once
// The weights of one layer as the kernels read them, and their loading.

#include <vector>

#include "engines/cpu/matrix_forms.h"
#include "engines/cpu/streaming.h"

namespace speclab::engines::cpu {

/// Sizes in whole vectors.
struct Widths {
  explicit Widths(const DecoderShape& shape);
  std::int32_t hidden, table, head, query, key, inner, expert;
  /// Queries, keys and values of a row.
  std::int64_t projected() const { return query + 2 * key; }
};

/// A product and its bias, in the order of the matrix's columns; empty: none.
struct Linear {
  PackedMatrix matrix{};
  std::vector<float> bias{};
  PackedMatrix expanded{};  ///< the same numbers for many rows; empty: none
};

struct Norm {
  std::vector<float> weight{}, bias{};  ///< weight empty: there is no norm
  bool is_there() const { return !weight.empty(); }
};

struct HeadNorms {
  Norm query, key;
};

struct Experts {
  Linear router;
  std::vector<Linear> first, down;  ///< gate and up, or up alone; one an expert
};

struct Layer {
  Norm attention_norm, attention_output_norm, feed_forward_norm, feed_forward_output_norm;
  HeadNorms head_norms;
  Linear query_key_value, attention_output, first, down;  ///< first: gate and up, or up alone
  Experts experts;
};

/// Weights and forms of a model that is being loaded. All outlive it.
struct Loading {
  const DecoderShape& shape;
  const Widths& widths;
  const DecoderWeights& weights;
  MatrixForms forms;
  const StreamedMatrices* streamed = nullptr;  ///< null: the matrices are read
};

Layer load_layer(const Loading& from, std::int32_t layer);
/// The matrix of a role, its depth in whole vectors.
PackedMatrix load_matrix(const Loading& from, TensorRole role, std::int32_t layer);
/// Whole blocks of columns; empty where the shape has no such bias.
std::vector<float> load_bias(const Loading& from, TensorRole role, std::int32_t layer);
/// Either part is empty where the shape does not have it.
Norm load_norm(const Loading& from, TensorRole weight, TensorRole bias, std::int32_t layer);

}  // namespace speclab::engines::cpu
