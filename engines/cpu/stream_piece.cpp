#include "engines/cpu/stream_piece.h"

#include <algorithm>
#include <functional>

#include "sim/system/errors.h"

namespace speclab::engines::cpu {
namespace {

/// Stretches that are no farther apart become one: to read on costs less than another request.
constexpr std::uint64_t kNear = 1 << 16;

struct Extent {
  const InputFile* file;
  std::uint64_t begin, end;
};

bool stands_before(const Extent& a, const Extent& b) {
  return a.file == b.file ? a.begin < b.begin : std::less<>()(a.file, b.file);
}

std::vector<Extent> extents_of(std::span<const RowPlaces> roles) {
  std::vector<Extent> extents;
  for (const RowPlaces& role : roles) {
    const auto row_bytes = static_cast<std::uint64_t>(role.row_bytes);
    for (std::size_t row = 0; row < role.rows.size(); ++row) {
      const RowPlaces::Place place = role.place_of(row);
      if (!extents.empty() && extents.back().file == place.file &&
          extents.back().end == place.offset)
        extents.back().end += row_bytes;
      else
        extents.push_back({place.file, place.offset, place.offset + row_bytes});
    }
  }
  std::ranges::sort(extents, stands_before);
  return extents;
}

std::uint64_t aligned_down(std::uint64_t offset) {
  return offset / kDirectAlignment * kDirectAlignment;
}

}  // namespace

StreamPiece::StreamPiece(std::span<const RowPlaces> roles) {
  std::vector<Extent> wide;
  for (const Extent& extent : extents_of(roles)) {
    const Extent whole{extent.file, aligned_down(extent.begin),
                       aligned_down(extent.end + kDirectAlignment - 1)};
    if (!wide.empty() && wide.back().file == whole.file && whole.begin <= wide.back().end + kNear)
      wide.back().end = std::max(wide.back().end, whole.end);
    else
      wide.push_back(whole);
  }
  for (const Extent& each : wide) {
    const auto bytes = static_cast<std::int64_t>(each.end - each.begin);
    stretches_.push_back({each.file, each.begin, bytes, bytes_});
    bytes_ += bytes;
  }
}

std::int64_t StreamPiece::place_of(const RowPlaces::Place& row) const {
  for (const Stretch& stretch : stretches_)
    if (stretch.file == row.file && row.offset >= stretch.offset &&
        row.offset < stretch.offset + static_cast<std::uint64_t>(stretch.bytes))
      return stretch.place + static_cast<std::int64_t>(row.offset - stretch.offset);
  throw ContractError("a row of the piece");
}

}  // namespace speclab::engines::cpu
