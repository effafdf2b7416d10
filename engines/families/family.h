#pragma once
// A family of decoders: which files are of it, how they become a DecoderShape, and the names of its
// tensors. A new family is one file and a line in families.cpp.

#include <span>
#include <string>

#include "engines/families/tensor_places.h"
#include "engines/models/decoder_shape.h"

namespace speclab::engines {

class GgufShape;
class JsonShape;

struct Family {
  const char* name;          ///< "qwen2"; also model_type in config.json
  const char* architecture;  ///< general.architecture in GGUF; null: GGUF has none
  DecoderShape (*from_json)(const JsonShape& config);
  DecoderShape (*from_gguf)(const GgufShape& file);  ///< null where architecture is
  std::span<const TensorPlace> places;  ///< in Hugging Face's folders, with the base model's prefix
  const char* prefix;                   ///< of all tensors but the head's; files may leave it out
  std::span<const char* const> buffers = {};  ///< tensors that older files hold beside the weights,
                                              ///< with {layer} for the layer's number
};

std::span<const Family* const> families();
/// Null where there is none.
const Family* family_named(const std::string& model_type);

}  // namespace speclab::engines
