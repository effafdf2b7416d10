#pragma once
#include "engines/formats/byte_cursor.h"
#include "engines/formats/gguf_metadata.h"

namespace speclab::engines {

/// Reads a value type and the value it announces.
/// @throws ModelFileError for an unknown type, an array of arrays, a length beyond the limits or
/// beyond the file, a bool not 0 or 1
GgufValue read_gguf_value(ByteCursor& cursor);

}  // namespace speclab::engines
