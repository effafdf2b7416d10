#include "engines/cpu/streamed_columns.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "engines/cpu/low_bit_packing.h"

namespace speclab::engines::cpu {

StreamedColumns::StreamedColumns(std::shared_ptr<const WeightStream> stream,
                                 std::vector<Side> sides, Order order, int depth)
    : stream_(std::move(stream)), sides_(std::move(sides)), order_(order), depth_(depth) {}

/// The side that a column belongs to, and the number of columns from there on that are its
/// neighbours in the block.
StreamedColumns::Run StreamedColumns::run_at(int column) const {
  constexpr int kHalf = kBlockColumns / 2;
  const int left = kBlockColumns - column % kBlockColumns;
  if (order_ == Order::woven) {
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

}  // namespace speclab::engines::cpu
