#pragma once
// The files that a split GGUF model lies in: "NAME-00001-of-00003.gguf" and its neighbours.

#include <string>
#include <vector>

#include "engines/formats/gguf_header.h"

namespace speclab::engines {

/// One file of a model with its header.
struct GgufPart {
  InputFile file;
  GgufHeader header;
};

inline constexpr std::int64_t kMaxGgufParts = 1000;

/// The file itself, or all parts of a split model, in their order.
/// @param path  of the only file, or of the first part
/// @throws ModelFileError if a part is missing, is no part of this model, or not the first is given
std::vector<GgufPart> open_gguf_parts(const std::string& path);

}  // namespace speclab::engines
