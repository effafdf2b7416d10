#include "engines/cpu/weight_stream.h"

#include <algorithm>
#include <functional>
#include <map>

#include "sim/system/errors.h"

namespace speclab::engines::cpu {
namespace {

/// Size of one request; the system cuts it as the disk likes it.
constexpr std::size_t kRequestBytes = 4 << 20;

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

WeightStream::WeightStream(std::span<const StreamPiece> pieces) {
  std::map<const InputFile*, const InputFile*> own;
  std::int64_t largest = 0;
  for (const StreamPiece& piece : pieces) {
    largest = std::max(largest, piece.bytes());
    std::vector<StreamPiece::Stretch>& stretches = pieces_.emplace_back(piece.stretches());
    for (StreamPiece::Stretch& stretch : stretches) {
      if (!own.contains(stretch.file))
        own[stretch.file] = &files_.emplace_back(stretch.file->reopened_direct());
      stretch.file = own[stretch.file];
    }
  }
  for (HugeBuffer& buffer : buffers_)
    buffer = make_weight_buffer(static_cast<std::size_t>(largest));
  reader_ = std::thread([this] { read_on(); });
}

WeightStream::~WeightStream() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  reader_.join();
}

void WeightStream::begin() {
  SPECLAB_EXPECT(used_ % num_pieces() == 0, "a forward begins with the first piece");
  first_ = used_;
}

void WeightStream::wait(int piece) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failure_ || read_ > first_ + piece; });
}

void WeightStream::done(int piece) {
  {
    const std::lock_guard lock(mutex_);
    used_ = first_ + piece + 1;
  }
  changed_.notify_all();
}

void WeightStream::finish() {
  for (auto piece = static_cast<int>(used_ - first_); piece < num_pieces(); ++piece) {
    wait(piece);
    done(piece);
  }
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

void WeightStream::read_on() {
  for (std::int64_t number = 0;; ++number) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || number < used_ + kNumBuffers; });
      if (stopping_) return;
    }
    std::exception_ptr failure;
    try {
      read_piece(number);
    } catch (...) {
      failure = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      read_ = number + 1;
      failure_ = failure;
    }
    changed_.notify_all();
    if (failure) return;
  }
}

void WeightStream::read_piece(std::int64_t number) {
  const auto which = static_cast<std::size_t>(number % static_cast<std::int64_t>(pieces_.size()));
  for (const StreamPiece::Stretch& stretch : pieces_[which]) {
    std::byte* to = buffer_of(number) + stretch.place;
    for (std::size_t at = 0; at < static_cast<std::size_t>(stretch.bytes); at += kRequestBytes)
      stretch.file->read_until_end(
          stretch.offset + at,
          {to + at, std::min(kRequestBytes, static_cast<std::size_t>(stretch.bytes) - at)});
    stretch.file->require_unchanged();
  }
}

}  // namespace speclab::engines::cpu
