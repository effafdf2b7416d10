#pragma once
#include <cstdint>
#include <vector>

#include "engines/formats/dequantise.h"
#include "engines/formats/input_file.h"

namespace speclab::engines {

/// Where the data of one tensor lies, already checked to be whole blocks inside the file.
struct TensorExtent {
  const BlockFormat* format = nullptr;
  std::uint64_t offset = 0;  ///< from the start of the file
  std::uint64_t bytes = 0;
};

/// The tensor's values in float32. @throws ModelFileError if the file has become shorter
std::vector<float> read_values(const InputFile& file, const TensorExtent& extent);

/// The file of a tensor's bytes, and their place in it.
struct TensorBytes {
  const InputFile* file;
  TensorExtent extent;
};
/// Whether the bytes are the same, read chunk by chunk. @throws ModelFileError likewise
bool have_same_bytes(const TensorBytes& a, const TensorBytes& b);

}  // namespace speclab::engines
