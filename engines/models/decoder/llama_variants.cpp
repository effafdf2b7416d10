#include "engines/models/decoder/llama_variants.h"

#include <fmt/format.h>

#include "engines/formats/gguf_file.h"
#include "engines/formats/json_file.h"
#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

/// Keys of GGUF whose only value that changes nothing is known.
void require_integer(const GgufFile& file, const char* key, std::int64_t allowed) {
  const auto found = file.metadata().find<std::int64_t>(key);
  if (found && *found != allowed)
    file.metadata().fail(key, fmt::format("{}", *found), fmt::format("{}", allowed));
}

void require_one(const GgufFile& file, const char* key) {
  const auto found = file.metadata().find<float>(key);
  if (found && *found != 1.0f)
    file.metadata().fail(key, fmt::format("{}", *found), "1: rotary positions are not scaled");
}

bool is_bias(const TensorInfo& tensor) { return tensor.name.ends_with(".bias"); }

/// @param key  a string that may only be `allowed`
void require_string(const JsonNode& object, const char* key, const char* allowed) {
  const auto found = object.find(key);
  if (found && found->as_string() != allowed)
    found->fail(found->shown(), fmt::format("\"{}\"", allowed));
}

/// "rope_scaling" of older files, "rope_parameters" since transformers 5; the kind is called "type"
/// in the oldest.
void refuse_scaling(const JsonNode& object, const char* name) {
  const auto scaling = object.find(name);
  if (!scaling) return;
  for (const char* key : {"type", "rope_type"}) require_string(*scaling, key, "default");
  for (const char* key : {"factor", "partial_rotary_factor"})
    if (const auto found = scaling->find(key); found && found->as_number() != 1.0)
      found->fail(found->shown(), "1");
}

}  // namespace

void refuse_variants(const GgufFile& file, const DecoderShape& config) {
  const GgufMetadata& metadata = file.metadata();
  const auto scaling = metadata.find<std::string>("llama.rope.scaling.type");
  if (scaling && *scaling != "none")
    metadata.fail("llama.rope.scaling.type", "'" + escaped(*scaling, 64) + "'", "'none'");
  for (const char* key : {"llama.rope.scaling.factor", "llama.rope.scale_linear"})
    require_one(file, key);
  for (const char* key :
       {"llama.rope.dimension_count", "llama.attention.key_length", "llama.attention.value_length"})
    require_integer(file, key, config.head_dim);
  require_integer(file, "llama.expert_count", 0);
  for (const TensorInfo& tensor : file.tensors())
    if (tensor.name == "rope_freqs.weight" || is_bias(tensor))
      throw_model_file_error(
          file.path(), 0,
          {"tensor '" + escaped(tensor.name, 64) + "'", "in the file",
           "no scaled rotary positions and no biases", "choose a model without them"});
}

void refuse_variants(const JsonNode& object) {
  for (const char* name : {"rope_scaling", "rope_parameters"}) refuse_scaling(object, name);
  for (const char* name : {"attention_bias", "mlp_bias"})
    if (const auto found = object.find(name); found && found->as_bool())
      found->fail("true", "false");
  require_string(object, "hidden_act", "silu");
  if (const auto found = object.find("partial_rotary_factor"); found && found->as_number() != 1.0)
    found->fail(found->shown(), "1");
}

}  // namespace speclab::engines
