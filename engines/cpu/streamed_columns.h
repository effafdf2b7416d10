#pragma once
// Columns of a matrix whose rows stand in streamed buffers as the file stores them. A block is
// packed when its product is taken.

#include <cstdint>
#include <memory>
#include <vector>

#include "engines/cpu/packed_matrix.h"
#include "engines/cpu/weight_stream.h"

namespace speclab::engines::cpu {

class StreamedColumns final : public BlockSource {
 public:
  /// Rows of one role in one piece of the stream.
  struct Side {
    int piece;
    const BlockFormat* format;
    std::int64_t row_bytes;
    std::int64_t place;  ///< of the first row, in the piece's buffer
    int columns;
    std::vector<std::int64_t> rows{};  ///< counted from the first; empty: 0, 1, 2, ...
  };
  /// The columns of every side behind those of the one before; or 16 of gate, 16 of up.
  enum class Order : std::uint8_t { beside, woven };

  StreamedColumns(std::shared_ptr<const WeightStream> stream, std::vector<Side> sides, Order order,
                  int depth);
  void make_block(WeightForm form, int block, char* out, std::span<float> values) const override;

 private:
  /// Neighbouring columns of one side.
  struct Run {
    const Side* side;
    int row;    ///< of the side
    int count;  ///< 0 behind the last column
  };
  Run run_at(int column) const;
  void make_columns(WeightForm form, const Run& run, char* out, int column,
                    std::span<float> values) const;

  std::shared_ptr<const WeightStream> stream_;
  std::vector<Side> sides_;
  Order order_;
  int depth_;
};

/// Place and order of a role's rows in a piece.
/// @param places  of consecutive rows, or of rows in any order
StreamedColumns::Side side_of(const RowPlaces& places, const StreamPiece& piece, int number);

}  // namespace speclab::engines::cpu
