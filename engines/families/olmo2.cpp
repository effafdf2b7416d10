// OLMo 2 (arXiv 2501.00656): norms of what the blocks add, and of all query and key heads at once.

#include <fmt/format.h>

#include "engines/families/family.h"

namespace speclab::engines {
namespace {

using enum TensorRole;

void make_olmo2(DecoderShape& shape) {
  shape.norm_place = NormPlace::after;
  shape.head_norm = HeadNorm::all_heads;
}

DecoderShape olmo2_from_json(const JsonShape& config) {
  DecoderShape shape = llama_shape(config);
  shape.norm_epsilon = config.number_or("rms_norm_eps", 1e-5f);
  make_olmo2(shape);
  return shape;
}

DecoderShape olmo2_from_gguf(const GgufShape& file) {
  DecoderShape shape = llama_shape(file, RotaryPairs::halves);
  if (!shape.windows.empty())
    file.fail("attention.sliding_window", fmt::format("{}", shape.windows.front()),
              "none: OLMo 3, which has windows, is not read");
  make_olmo2(shape);
  return shape;
}

constexpr TensorPlace kOlmo2Norms[] = {
    {attention_output_norm, "model.layers.{layer}.post_attention_layernorm.weight"},
    {feed_forward_output_norm, "model.layers.{layer}.post_feedforward_layernorm.weight"},
};

const std::vector<TensorPlace> kOlmo2Places = replaced_places(llama_places(), kOlmo2Norms);

}  // namespace

extern const Family kOlmo2 = {"olmo2",      "olmo2",  olmo2_from_json, olmo2_from_gguf,
                              kOlmo2Places, "model.", llama_buffers()};

}  // namespace speclab::engines
