#pragma once
// A family of decoders: which files are of it, how they become a DecoderShape, and the names of its
// tensors. A new family is one file and a line in families.cpp.

#include <span>
#include <string>
#include <vector>

#include "engines/families/gguf_shape.h"
#include "engines/families/json_shape.h"
#include "engines/models/decoder_shape.h"
#include "engines/models/decoder_weights.h"

namespace speclab::engines {

// Tensors of a decoder in a file: names and forms by role.

/// How a file's tensor holds a role.
enum class Form : std::uint8_t {
  whole,
  stacked,   ///< rows of one tensor with its neighbours: queries, keys and values; or gate and up
  per_head,  ///< rows of one tensor: query, key and value of head 0, of head 1, ... (GPT-NeoX)
};

struct TensorPlace {
  TensorRole role;
  const char* name;  ///< {layer} stands for the layer, {part} for an expert's or head's number: one
                     ///< tensor each, one behind the other
  Form form = Form::whole;
  bool transposed = false;  ///< [in, out], as GPT-2's Conv1D has it
};

/// Both lists. @param more  of roles that `base` has not
std::vector<TensorPlace> joined_places(std::span<const TensorPlace> base,
                                       std::span<const TensorPlace> more);
/// `base` with other places for the roles that `own` names.
std::vector<TensorPlace> replaced_places(std::span<const TensorPlace> base,
                                         std::span<const TensorPlace> own);

/// The places of all architectures in GGUF.
std::span<const TensorPlace> gguf_places();
/// Its tensors that are read with the shape.
std::span<const char* const> gguf_buffers();

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

// Names, norms and biases of the many families that follow Llama's layout.

/// Names of Llama, Mistral, Qwen 2 and 3, Granite and Gemma 1; others add to them.
std::span<const TensorPlace> llama_places();
/// Tensors of their older files that are no weights.
std::span<const char* const> llama_buffers();
/// Sizes, RMS norms, rotary positions, biases by attention_bias and mlp_bias, silu, a head of its
/// own.
DecoderShape llama_shape(const JsonShape& config, const RotaryRule& rule = {});
/// Metadata of an architecture of this layout.
DecoderShape llama_shape(const GgufShape& file, RotaryPairs pairs);

// Shapes of models from their files, whatever their family.

class GgufFile;

/// @throws ModelFileError if no family has the file's architecture, or a field is missing or
/// impossible
DecoderShape shape_from_gguf(const GgufFile& file);
/// Reads config.json of a checkpoint folder in Hugging Face's layout. @throws ModelFileError as
/// shape_from_gguf
DecoderShape shape_from_json(const std::string& path);

}  // namespace speclab::engines
