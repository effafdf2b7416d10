#pragma once
// Weights that are read from their files at every forward: while one piece is used, the next is
// read into the other of two buffers.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "engines/cpu/huge_buffer.h"
#include "engines/models/decoder_weights.h"

namespace speclab::engines::cpu {

/// Stretches of a model's files that one layer, or a part of the head, reads into one buffer.
class StreamPiece {
 public:
  /// A stretch of a file and its place in the buffer, all in multiples of kDirectAlignment.
  struct Stretch {
    const InputFile* file;
    std::uint64_t offset;
    std::int64_t bytes;
    std::int64_t place;
  };

  /// @param roles  every row is needed
  explicit StreamPiece(std::span<const RowPlaces> roles);

  const std::vector<Stretch>& stretches() const { return stretches_; }
  /// Size of the buffer.
  std::int64_t bytes() const { return bytes_; }
  /// The place of a row in the buffer.
  std::int64_t place_of(const RowPlaces::Place& row) const;

 private:
  std::vector<Stretch> stretches_;  ///< rising in file and offset
  std::int64_t bytes_ = 0;
};

/// The pieces are read in their order, over and over. A forward takes them in the same order.
class WeightStream {
 public:
  /// Opens the pieces' files once more and starts to read.
  /// @throws ModelFileError if a file is not what it was when it was opened
  explicit WeightStream(std::span<const StreamPiece> pieces);
  ~WeightStream();
  WeightStream(const WeightStream&) = delete;
  WeightStream& operator=(const WeightStream&) = delete;

  int num_pieces() const { return static_cast<int>(pieces_.size()); }

  /// A forward begins; no thread uses the stream then.
  void begin();
  /// Returns when the piece is there, or when reading has failed: finish() tells then.
  void wait(int piece);
  /// The piece's buffer. Valid between wait() and done().
  const std::byte* data(int piece) const { return buffer_of(first_ + piece); }
  /// No thread uses the piece any more.
  void done(int piece);
  /// Passes over pieces that no one took. @throws ModelFileError if reading has failed, now and at
  /// every later forward
  void finish();

 private:
  static constexpr int kNumBuffers = 2;

  std::byte* buffer_of(std::int64_t number) const {
    return static_cast<std::byte*>(buffers_[number % kNumBuffers].get());
  }
  void read_on();
  void read_piece(std::int64_t number);

  std::list<InputFile> files_;
  std::vector<std::vector<StreamPiece::Stretch>> pieces_;  ///< of files_
  HugeBuffer buffers_[kNumBuffers];
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t read_ = 0, used_ = 0;  ///< pieces so far, all rounds together
  std::int64_t first_ = 0;            ///< number of the forward's first piece
  bool stopping_ = false;
  std::exception_ptr failure_;
  std::thread reader_;
};

}  // namespace speclab::engines::cpu
