#pragma once
// Reads and checks everything of a GGUF v3 file before its tensor data.

#include <vector>

#include "engines/formats/byte_cursor.h"
#include "engines/formats/gguf_metadata.h"
#include "engines/formats/weight_source.h"

namespace speclab::engines {

struct GgufHeader {
  GgufMetadata metadata;
  TensorTable table;
  std::vector<TensorExtent> extents;  ///< in the order of the table, apart from each other
};

inline constexpr std::uint64_t kMaxGgufHeaderBytes = std::uint64_t{1} << 30;

/// @param max_header_bytes  of everything before the tensor data, whatever the file says
/// @throws ModelFileError at the first byte that is not allowed
GgufHeader read_gguf_header(const InputFile& file,
                            std::uint64_t max_header_bytes = kMaxGgufHeaderBytes);

}  // namespace speclab::engines
