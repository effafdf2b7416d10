#pragma once
// Single rows of a table that stays in its file: look-ups of an embedding.

#include "engines/formats/input_file.h"
#include "engines/models/decoder_weights.h"

namespace speclab::engines::cpu {

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

}  // namespace speclab::engines::cpu
