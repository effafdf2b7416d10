#include "engines/families/shape_json.h"

#include <nlohmann/json.hpp>

#include "engines/families/json_shape.h"
#include "sim/system/files.h"

namespace speclab::engines {

DecoderShape read_llama_shape(const JsonNode& object) {
  const JsonShape config(object);
  DecoderShape shape = config.sizes();
  config.read_rotary(shape, {});
  shape.norm_epsilon = config.number_or("rms_norm_eps", 1e-6f);
  return shape;
}

nlohmann::ordered_json llama_shape_json(const DecoderShape& config) {
  return {{"vocab_size", config.vocab_size},
          {"max_position_embeddings", config.context_length},
          {"num_hidden_layers", config.num_layers},
          {"hidden_size", config.hidden_size},
          {"intermediate_size", config.intermediate_size},
          {"num_attention_heads", config.num_heads},
          {"num_key_value_heads", config.num_kv_heads},
          {"head_dim", config.head_dim},
          {"rope_theta", config.rope_theta},
          {"rms_norm_eps", config.norm_epsilon}};
}

void write_llama_config_json(const DecoderShape& shape, const std::string& path,
                             const std::string& dtype) {
  nlohmann::ordered_json object = {{"architectures", {"LlamaForCausalLM"}},
                                   {"model_type", "llama"}};
  object.update(llama_shape_json(shape));
  object.update({{"hidden_act", "silu"},
                 {"attention_bias", false},
                 {"mlp_bias", false},
                 {"tie_word_embeddings", shape.tied_embeddings},
                 {"torch_dtype", dtype}});
  if (!shape.draft_vocabulary.empty()) object["draft_vocabulary"] = shape.draft_vocabulary;
  write_file(path, object.dump(shape.draft_vocabulary.empty() ? 2 : -1) + "\n");
}

}  // namespace speclab::engines
