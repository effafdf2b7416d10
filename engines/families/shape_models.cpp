#include "engines/families/catalogue.h"

namespace speclab::engines {
namespace {

struct PublishedSizes {
  const char* name;
  std::int32_t layers, hidden, intermediate, heads, kv_heads, head_dim, vocab;
  bool tied;
};

/// @source config.json of each model
constexpr PublishedSizes kLlamas[] = {
    {"shape-3b", 28, 3072, 8192, 24, 8, 128, 49152, true},
    {"shape-8b", 32, 4096, 14336, 32, 8, 128, 49152, false},
    {"shape-llama-68m", 2, 768, 3072, 12, 12, 64, 32000, false},
    {"shape-llama-3.2-1b", 16, 2048, 8192, 32, 8, 64, 128256, true},
    {"shape-llama-3.2-3b", 28, 3072, 8192, 24, 8, 128, 128256, true},
    {"shape-llama-3.1-8b", 32, 4096, 14336, 32, 8, 128, 128256, false},
    {"shape-llama-2-13b", 40, 5120, 13824, 40, 40, 128, 32000, false},
    {"shape-gpt2-124m-gated", 12, 768, 2048, 12, 12, 64, 50257, true},
};

/// @source Zhang et al. 2022, table 1; the width of the table from config.json
struct OptSizes {
  const char* name;
  std::int32_t layers, hidden, heads, table_width, gated_head_dim;
};
constexpr OptSizes kOpts[] = {
    {"shape-opt-125m", 12, 768, 12, 0, 64},   {"shape-opt-350m", 24, 1024, 16, 512, 64},
    {"shape-opt-1.3b", 24, 2048, 32, 0, 64},  {"shape-opt-2.7b", 32, 2560, 32, 0, 64},
    {"shape-opt-6.7b", 32, 4096, 32, 0, 128}, {"shape-opt-13b", 40, 5120, 40, 0, 128},
};

/// @source Radford et al. 2019, table 2
struct Gpt2Sizes {
  const char* name;
  std::int32_t layers, hidden, heads;
};
constexpr Gpt2Sizes kGpt2s[] = {{"shape-gpt2-124m", 12, 768, 12},
                                {"shape-gpt2-355m", 24, 1024, 16},
                                {"shape-gpt2-774m", 36, 1280, 20},
                                {"shape-gpt2-1.5b", 48, 1600, 25}};

DecoderShape published_shape(const PublishedSizes& sizes) {
  DecoderShape shape;
  shape.name = sizes.name;
  shape.vocab_size = sizes.vocab;
  shape.context_length = 8192;
  shape.num_layers = sizes.layers;
  shape.hidden_size = sizes.hidden;
  shape.intermediate_size = sizes.intermediate;
  shape.num_heads = sizes.heads;
  shape.num_kv_heads = sizes.kv_heads;
  shape.head_dim = sizes.head_dim;
  shape.tied_embeddings = sizes.tied;
  shape.rope_theta = 500000.0f;
  return shape;
}

/// A member of SmolLM2's family: its vocabulary, context and head width of 64.
DecoderShape smollm_shape(const char* name, std::int32_t layers, std::int32_t hidden,
                          std::int32_t intermediate, std::int32_t kv_heads) {
  DecoderShape shape =
      published_shape({name, layers, hidden, intermediate, hidden / 64, kv_heads, 64, 49152, true});
  shape.rope_theta = 100000.0f;
  return shape;
}

/// The choices that OPT and GPT-2 share.
DecoderShape learned_shape(const char* name, std::int32_t layers, std::int32_t hidden,
                           std::int32_t heads) {
  DecoderShape shape =
      published_shape({name, layers, hidden, 4 * hidden, heads, heads, hidden / heads, 0, true});
  shape.positions = Positions::learned;
  shape.norm = NormKind::layer;
  shape.norm_bias = true;
  shape.gated = false;
  shape.query_key_value_bias = shape.attention_output_bias = shape.feed_forward_bias = true;
  return shape;
}

DecoderShape opt_model_shape(const OptSizes& sizes) {
  DecoderShape shape = learned_shape(sizes.name, sizes.layers, sizes.hidden, sizes.heads);
  shape.family = "opt";
  shape.vocab_size = 50272;
  shape.context_length = 2048;
  shape.position_offset = 2;
  shape.activation = Activation::relu;
  shape.embedding_size = sizes.table_width;
  if (sizes.table_width > 0) {
    shape.norm_place = NormPlace::after_sum;
    shape.final_norm = false;
  }
  return shape;
}

/// Three feed-forward matrices have as many weights as OPT has in two; the heads are such as the
/// CUDA engine has.
DecoderShape gated_opt_shape(const OptSizes& sizes) {
  const std::int32_t heads = sizes.hidden / sizes.gated_head_dim;
  DecoderShape shape = published_shape({sizes.name, sizes.layers, sizes.hidden,
                                        (8 * sizes.hidden / 3 + 32) / 64 * 64, heads, heads,
                                        sizes.gated_head_dim, 50272, true});
  shape.name += "-gated";
  return shape;
}

DecoderShape gpt2_model_shape(const Gpt2Sizes& sizes) {
  DecoderShape shape = learned_shape(sizes.name, sizes.layers, sizes.hidden, sizes.heads);
  shape.family = "gpt2";
  shape.vocab_size = 50257;
  shape.context_length = 1024;
  shape.activation = Activation::gelu_tanh;
  return shape;
}

}  // namespace

std::vector<DecoderShape> shape_models() {
  std::vector<DecoderShape> shapes = {
      smollm_shape("shape-15m", 14, 192, 512, 1), smollm_shape("shape-45m", 16, 384, 1024, 2),
      smollm_shape("shape-135m", 30, 576, 1536, 3), smollm_shape("shape-360m", 32, 960, 2560, 5),
      smollm_shape("shape-1b", 16, 2048, 8192, 8)};
  for (const PublishedSizes& sizes : kLlamas) shapes.push_back(published_shape(sizes));
  for (const Gpt2Sizes& sizes : kGpt2s) shapes.push_back(gpt2_model_shape(sizes));
  for (const OptSizes& sizes : kOpts) shapes.push_back(opt_model_shape(sizes));
  for (const OptSizes& sizes : kOpts) shapes.push_back(gated_opt_shape(sizes));
  return shapes;
}

}  // namespace speclab::engines
