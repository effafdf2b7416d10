#include "engines/models/cpu/streamed_columns.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "engines/models/cpu/low_bit_packing.h"

namespace speclab::engines::cpu {

StreamedColumns::StreamedColumns(std::shared_ptr<const WeightStream> stream,
                                 std::vector<Side> sides, Order order, int depth)
    : stream_(std::move(stream)), sides_(std::move(sides)), order_(order), depth_(depth) {}

StreamedColumns::Place StreamedColumns::place_of(int column) const {
  if (order_ == Order::woven) {
    constexpr int kHalf = kBlockColumns / 2;
    const int row = column / kBlockColumns * kHalf + column % kHalf;
    const Side& side = sides_[static_cast<std::size_t>(column / kHalf % 2)];
    return {row < side.columns ? &side : nullptr, row};
  }
  for (const Side& side : sides_) {
    if (column < side.columns) return {&side, column};
    column -= side.columns;
  }
  return {nullptr, 0};
}

void StreamedColumns::make_block(WeightForm form, int block, char* out) const {
  std::memset(out, 0, static_cast<std::size_t>(block_bytes(form, depth_)));
  std::vector<float> values(is_low_bit(form) ? 0 : static_cast<std::size_t>(depth_));
  for (int c = 0; c < kBlockColumns; ++c) {
    const Place place = place_of(block * kBlockColumns + c);
    if (place.side == nullptr) continue;
    const Side& side = *place.side;
    const std::int64_t row =
        side.rows.empty() ? place.row : side.rows[static_cast<std::size_t>(place.row)];
    const std::span stored(stream_->data(side.piece) + side.place + row * side.row_bytes,
                           static_cast<std::size_t>(side.row_bytes));
    if (is_low_bit(form)) {
      pack_row(form, stored, out, c);
    } else {
      side.format->dequantise(stored, values.data());
      pack_values(form, values, out, c);
    }
  }
}

StreamedColumns::Side side_of(const RowPlaces& places, const StreamPiece& piece, int number) {
  const auto first = static_cast<std::size_t>(
      std::ranges::min_element(places.rows) - places.rows.begin());
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
