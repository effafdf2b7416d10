#include "engines/cpu/streaming.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engines/cpu/low_bit_packing.h"

namespace speclab::engines::cpu {
namespace {

/// Columns of a matrix whose rows stand in streamed buffers as the file stores them. A block is
/// packed when its product is taken.
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
  StreamedColumns(std::shared_ptr<const WeightStream> stream, std::vector<Side> sides,
                  ColumnOrder order, int depth)
      : stream_(std::move(stream)), sides_(std::move(sides)), order_(order), depth_(depth) {}
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
  ColumnOrder order_;
  int depth_;
};

/// The side that a column belongs to, and the number of columns from there on that are its
/// neighbours in the block.
StreamedColumns::Run StreamedColumns::run_at(int column) const {
  constexpr int kHalf = kBlockColumns / 2;
  const int left = kBlockColumns - column % kBlockColumns;
  if (order_ == ColumnOrder::woven) {
    const Side& side = sides_[static_cast<std::size_t>(column / kHalf % 2)];
    const int row = column / kBlockColumns * kHalf + column % kHalf;
    return {&side, row, std::clamp(side.columns - row, 0, kHalf - column % kHalf)};
  }
  for (const Side& side : sides_) {
    if (column < side.columns) return {&side, column, std::min(side.columns - column, left)};
    column -= side.columns;
  }
  return {nullptr, 0, 0};
}

void StreamedColumns::make_block(WeightForm form, int block, char* out,
                                 std::span<float> values) const {
  const bool is_whole = run_at(block * kBlockColumns + kBlockColumns - 1).count > 0;
  if (!is_whole) std::memset(out, 0, static_cast<std::size_t>(block_bytes(form, depth_)));
  for (int column = 0; column < kBlockColumns;) {
    const Run run = run_at(block * kBlockColumns + column);
    if (run.count > 0) make_columns(form, run, out, column, values);
    column += run.count > 0 ? run.count : kBlockColumns / 2;
  }
}

void StreamedColumns::make_columns(WeightForm form, const Run& run, char* out, int column,
                                   std::span<float> values) const {
  const Side& side = *run.side;
  const std::byte* rows[kBlockColumns];
  for (int i = 0; i < run.count; ++i) {
    const auto at = static_cast<std::size_t>(run.row + i);
    const std::int64_t row = side.rows.empty() ? run.row + i : side.rows[at];
    rows[i] = stream_->data(side.piece) + side.place + row * side.row_bytes;
  }
  if (is_low_bit(form))
    return pack_columns(form, {rows, static_cast<std::size_t>(run.count)}, side.row_bytes, out,
                        column);
  values = values.first(static_cast<std::size_t>(depth_));
  for (int i = 0; i < run.count; ++i) {
    side.format->dequantise({rows[i], static_cast<std::size_t>(side.row_bytes)}, values.data());
    pack_values(form, values, out, column + i);
  }
}

/// Place and order of a role's rows in a piece.
/// @param places  of consecutive rows, or of rows in any order
StreamedColumns::Side side_of(const RowPlaces& places, const StreamPiece& piece, int number) {
  const auto first =
      static_cast<std::size_t>(std::ranges::min_element(places.rows) - places.rows.begin());
  StreamedColumns::Side side{number, places.format, places.row_bytes,
                             piece.place_of(places.place_of(first)),
                             static_cast<int>(places.rows.size())};
  bool in_order = true;
  for (std::size_t i = 0; i < places.rows.size(); ++i) {
    side.rows.push_back(places.rows[i] - places.rows[first]);
    in_order = in_order && side.rows.back() == static_cast<std::int64_t>(i);
  }
  if (in_order) side.rows.clear();
  return side;
}

}  // namespace

RowReader::RowReader(const RowPlaces& table)
    : file_(table.place_of(0).file->reopened()),
      format_(table.format),
      first_(table.place_of(0).offset),
      row_(static_cast<std::size_t>(table.row_bytes)) {}

void RowReader::read(std::int64_t row, float* out) {
  file_.read(first_ + static_cast<std::uint64_t>(row) * row_.size(), row_);
  file_.require_unchanged();
  format_->dequantise(row_, out);
}

StreamedMatrices::StreamedMatrices(const DecoderShape& shape, const DecoderWeights& weights,
                                   const StreamPlan& plan)
    : shape_(shape), plan_(plan) {
  for (std::int32_t layer = plan.num_resident_layers(); layer < shape.num_layers; ++layer) {
    places_.push_back(layer_places(shape, weights, layer));
    pieces_.push_back(piece_of(places_.back()));
  }
  for (const RowPlaces& rows : plan.head_pieces()) pieces_.push_back(StreamPiece({&rows, 1}));
  stream_ = std::make_shared<WeightStream>(pieces_);
}

PackedMatrix StreamedMatrices::matrix(std::int32_t layer, std::initializer_list<TensorRole> roles,
                                      std::vector<PackedMatrix::Part> parts,
                                      ColumnOrder order) const {
  const int piece = layer - plan_.num_resident_layers();
  const auto at = static_cast<std::size_t>(piece);
  std::vector<StreamedColumns::Side> sides;
  for (const TensorRole role : roles)
    sides.push_back(side_of(places_[at].at(role), pieces_[at], piece));
  const auto depth = static_cast<int>(shape_of(*roles.begin(), shape_).back());
  return {std::move(parts), depth,
          std::make_shared<StreamedColumns>(stream_, std::move(sides), order, depth)};
}

PackedMatrix StreamedMatrices::head(WeightForm form) const {
  std::vector<StreamedColumns::Side> sides;
  for (std::size_t i = 0; i < plan_.head_pieces().size(); ++i) {
    const std::size_t piece = places_.size() + i;
    sides.push_back(side_of(plan_.head_pieces()[i], pieces_[piece], static_cast<int>(piece)));
  }
  const int depth = shape_.table_width();
  return {{{form, shape_.num_logits()}},
          depth,
          std::make_shared<StreamedColumns>(stream_, std::move(sides), ColumnOrder::beside, depth)};
}

Streaming StreamedMatrices::streaming(RowReader embedding_rows) const {
  Streaming streaming{stream_, plan_.num_resident_layers(), {}, std::move(embedding_rows)};
  int block = 0;
  for (const RowPlaces& rows : plan_.head_pieces()) {
    const int blocks = (static_cast<int>(rows.rows.size()) + kBlockColumns - 1) / kBlockColumns;
    streaming.head_pieces.push_back({block, blocks});
    block += blocks;
  }
  return streaming;
}

}  // namespace speclab::engines::cpu
