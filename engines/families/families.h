#pragma once
// Shapes of models from their files, whatever their family.

#include <string>

#include "engines/models/decoder_shape.h"

namespace speclab::engines {

class GgufFile;

/// @throws ModelFileError if no family has the file's architecture, or a field is missing or
/// impossible
DecoderShape shape_from_gguf(const GgufFile& file);
/// Reads config.json of a checkpoint folder in Hugging Face's layout. @throws ModelFileError as
/// shape_from_gguf
DecoderShape shape_from_json(const std::string& path);

}  // namespace speclab::engines
