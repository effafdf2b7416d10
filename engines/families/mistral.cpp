// Mistral 7B (arXiv 2310.06825): Llama with a window in every layer. GGUF calls it llama.

#include "engines/families/llama_layout.h"

namespace speclab::engines {
namespace {

DecoderShape mistral_from_json(const JsonShape& config) {
  DecoderShape shape = llama_shape(config);
  config.read_window(shape, config.window("sliding_window", 4096));
  return shape;
}

}  // namespace

extern const Family kMistral;
const Family kMistral = {"mistral",      nullptr,  mistral_from_json, nullptr,
                         llama_places(), "model.", llama_buffers()};

}  // namespace speclab::engines
