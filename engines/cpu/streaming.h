#pragma once
// Layers, a head and rows of the embedding that are read from their file at every forward.

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engines/cpu/number_forms.h"
#include "engines/cpu/stream_plan.h"
#include "engines/formats/input_file.h"

namespace speclab::engines::cpu {

/// The columns of every role behind those of the one before; or 16 of gate, 16 of up.
enum class ColumnOrder : std::uint8_t { beside, woven };

/// Single rows of a table that stays in its file: look-ups of an embedding.
class RowReader {
 public:
  /// @param table  in one tensor, in order. @throws ModelFileError if its file was changed
  explicit RowReader(const RowPlaces& table);

  /// @param out  [depth], float32. @throws ModelFileError if the file cannot be read or was changed
  void read(std::int64_t row, float* out);

 private:
  InputFile file_;
  const BlockFormat* format_;
  std::uint64_t first_;
  std::vector<std::byte> row_;
};

/// The part of a loaded model that stays in its file.
struct Streaming {
  /// Blocks of the head that stand in one piece of the stream.
  struct HeadPiece {
    int first_block, num_blocks;
  };
  std::shared_ptr<WeightStream> stream;  ///< a piece a layer, then those of the head
  std::int32_t first_layer;              ///< those before are in memory
  std::vector<HeadPiece> head_pieces;
  RowReader embedding_rows;
};

/// Makes the matrices that are streamed, while their model is loaded.
class StreamedMatrices {
 public:
  /// Starts to read. Shape and plan outlive it.
  StreamedMatrices(const DecoderShape& shape, const DecoderWeights& weights,
                   const StreamPlan& plan);

  PackedMatrix matrix(std::int32_t layer, std::initializer_list<TensorRole> roles,
                      std::vector<PackedMatrix::Part> parts, ColumnOrder order) const;
  PackedMatrix head(WeightForm form) const;
  /// @param embedding_rows  of the table that the first layer's input comes from
  Streaming streaming(RowReader embedding_rows) const;

 private:
  const DecoderShape& shape_;
  const StreamPlan& plan_;
  std::vector<RolePlaces> places_;  ///< of streamed layers
  std::vector<StreamPiece> pieces_;
  std::shared_ptr<WeightStream> stream_;
};

}  // namespace speclab::engines::cpu
