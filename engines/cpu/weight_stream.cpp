#include "engines/cpu/weight_stream.h"

#include <algorithm>
#include <map>

#include "sim/system/errors.h"

namespace speclab::engines::cpu {
namespace {

/// Size of one request; the system cuts it as the disk likes it.
constexpr std::size_t kRequestBytes = 4 << 20;

}  // namespace

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
