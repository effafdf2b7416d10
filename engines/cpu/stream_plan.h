#pragma once
// The choice of layers that stay in memory; the others are read from the file at every forward.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engines/cpu/matrix_forms.h"
#include "engines/cpu/weight_stream.h"

namespace speclab::engines::cpu {

using RolePlaces = std::map<TensorRole, RowPlaces>;

/// Places of the rows of a layer's matrices.
/// @throws ConfigError if a matrix of the layer stands in no file row by row
RolePlaces layer_places(const DecoderShape& shape, const DecoderWeights& weights,
                        std::int32_t layer);
/// Places of the rows of a table. @throws ConfigError likewise
RowPlaces table_places(const DecoderShape& shape, const DecoderWeights& weights, TensorRole table);
StreamPiece piece_of(const RolePlaces& places);

/// The whole model stays if it fits. Else the first layers do, as many as fit beside two buffers of
/// the largest piece, and the head is read.
class StreamPlan {
 public:
  /// @param limit  bytes of memory that weights may take: those that stay, and both buffers
  /// @throws ConfigError if it is smaller than the buffers and the norms, or the model cannot be
  /// streamed
  StreamPlan(const DecoderShape& shape, const DecoderWeights& weights, const MatrixForms& forms,
             std::int64_t limit);

  /// Number of layers that stay.
  std::int32_t num_resident_layers() const { return num_resident_layers_; }
  bool streams() const { return !head_pieces_.empty(); }
  /// The head's rows, cut so that a part fits a buffer; whole blocks of columns but the last.
  const std::vector<RowPlaces>& head_pieces() const { return head_pieces_; }
  /// Bytes that every forward reads; 0: all weights stay.
  std::int64_t streamed_bytes() const { return streamed_bytes_; }
  /// Bytes of memory.
  std::int64_t resident_bytes() const { return resident_bytes_; }

 private:
  std::int32_t num_resident_layers_;
  std::vector<RowPlaces> head_pieces_;
  std::int64_t streamed_bytes_ = 0, resident_bytes_ = 0;
};

/// Nothing if all weights stay in memory. @throws ConfigError as StreamPlan
std::optional<StreamPlan> stream_plan(const DecoderShape& shape, const DecoderWeights& weights,
                                      const NumberForms& numbers);

}  // namespace speclab::engines::cpu
