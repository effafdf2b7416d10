#pragma once
// Reads and checks everything of a GGUF v3 file before its tensor data.

#include <vector>

#include "engines/formats/byte_cursor.h"
#include "engines/formats/dequantise.h"
#include "engines/formats/gguf_metadata.h"
#include "engines/formats/tensor_table.h"

namespace speclab::engines {

/// Where the data of one tensor lies; inside the file, apart from all others.
struct GgufExtent {
  const BlockFormat* format = nullptr;
  std::uint64_t offset = 0;  ///< from the start of the file
  std::uint64_t bytes = 0;
};

struct GgufHeader {
  GgufMetadata metadata;
  TensorTable table;
  std::vector<GgufExtent> extents;  ///< in the order of the table
};

/// @throws ModelFileError at the first byte that is not allowed
GgufHeader read_gguf_header(const InputFile& file);

}  // namespace speclab::engines
