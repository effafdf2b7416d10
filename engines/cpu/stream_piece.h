#pragma once
// Stretches of a model's files that one layer, or a part of the head, reads into one buffer.

#include <cstdint>
#include <span>
#include <vector>

#include "engines/models/decoder_weights.h"

namespace speclab::engines::cpu {

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

}  // namespace speclab::engines::cpu
