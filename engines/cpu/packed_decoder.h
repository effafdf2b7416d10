#pragma once
// The weights of a decoder: read by every forward, and never changed after loading.

#include <memory>
#include <vector>

#include "engines/cpu/matrix_forms.h"
#include "engines/cpu/padding.h"
#include "engines/cpu/streaming.h"
#include "engines/cpu/thread_team.h"

namespace speclab::engines::cpu {

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

struct PackedDecoder {
  DecoderShape shape;
  Widths widths;
  NumberForms numbers;
  ElementType type;                          ///< of activations between products
  std::vector<std::int32_t> state_layers{};  ///< of DecoderShape::state_layers
  Linear embedding{}, head{}, fusion{}, embedding_projection{}, output_projection{};
  std::vector<float> position_embedding{};  ///< [context + offset, hidden in whole vectors]
  Norm output_norm{}, embedding_norm{}, feature_norm{};
  std::vector<Layer> layers{};
  std::unique_ptr<Streaming> streaming{};  ///< null: all weights are in memory
  bool rounds_embedding = false;           ///< to bfloat16: exact products see expanded values
  std::int64_t deepest = 0;                ///< depth of the deepest product
  int low_bit_rows = 0;  ///< most rows that low-bit weights take where both forms are there

  /// The form of a product's weights for so many rows.
  const PackedMatrix& form_for(const Linear& linear, int rows) const {
    return linear.expanded.columns() > 0 && rows > low_bit_rows ? linear.expanded : linear.matrix;
  }
  const Linear& head_product() const { return shape.head_is_embedding() ? embedding : head; }
  Linear& head_product() { return shape.head_is_embedding() ? embedding : head; }
  TensorRole head_role() const {
    return shape.head_is_embedding() ? TensorRole::embedding : TensorRole::head;
  }
  std::int32_t state_size() const {
    return shape.counting_width() * (1 + static_cast<std::int32_t>(state_layers.size()));
  }
  /// Bytes of the matrices that a forward of one row reads.
  std::int64_t bytes_of_a_row() const;
};

/// The same, by the sizes of the matrices alone.
std::int64_t bytes_of_a_row(const DecoderShape& shape, const MatrixForms& forms);

/// @param first_layers  layers that are loaded already, in the form that the numbers name
PackedDecoder load_decoder(const DecoderShape& shape, const DecoderWeights& weights,
                           const NumberForms& numbers, ThreadTeam& team,
                           std::vector<Layer> first_layers = {});

/// The first layers, with the expanded form of every low-bit product beside it.
std::vector<Layer> load_both_forms(const DecoderShape& shape, const DecoderWeights& weights,
                                   std::int32_t num_layers, ThreadTeam& team);

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
/// The embedding or the head by all threads of the team. Rows in their order are read piece by
/// piece, so that no copy of the table stands beside it.
PackedMatrix load_table(const Loading& from, TensorRole role, ThreadTeam& team);
/// Whole blocks of columns; empty where the shape has no such bias.
std::vector<float> load_bias(const Loading& from, TensorRole role, std::int32_t layer);
/// Either part is empty where the shape does not have it.
Norm load_norm(const Loading& from, TensorRole weight, TensorRole bias, std::int32_t layer);

}  // namespace speclab::engines::cpu
