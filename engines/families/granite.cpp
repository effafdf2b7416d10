// Granite 3 (IBM): Llama with multipliers of embeddings, scores, residuals and logits.

#include <fmt/format.h>

#include <cmath>

#include "engines/families/family.h"

namespace speclab::engines {
namespace {

/// Logits are divided by it.
float inverse_of_scaling(const JsonShape& config) {
  const float scaling = config.number_or("logits_scaling", 1.0f);
  if (!(scaling > 0) || !std::isfinite(scaling))
    config.config().at("logits_scaling").fail(fmt::format("{}", scaling), "a number above 0");
  return 1.0f / scaling;
}

DecoderShape granite_from_json(const JsonShape& config) {
  DecoderShape shape = llama_shape(config);
  shape.embedding_scale = config.number_or("embedding_multiplier", 1.0f);
  shape.residual_scale = config.number_or("residual_multiplier", 1.0f);
  shape.attention_scale = config.number_or("attention_multiplier", 1.0f);
  shape.logit_scale = inverse_of_scaling(config);
  return shape;
}

/// llama.cpp turns no positions where the file says that they were not trained.
void require_positions(const GgufShape& file) {
  if (!file.flag_or("rope.scaling.finetuned", true))
    file.fail("rope.scaling.finetuned", "false", "true in granite");
}

DecoderShape granite_from_gguf(const GgufShape& file) {
  require_positions(file);
  DecoderShape shape = llama_shape(file, RotaryPairs::adjacent);
  shape.embedding_scale = file.number_or("embedding_scale", 1.0f);
  shape.residual_scale = file.number_or("residual_scale", 1.0f);
  if (const float scale = file.number_or("attention.scale", 0.0f); scale != 0)
    shape.attention_scale = scale;
  if (const float scale = file.number_or("logit_scale", 0.0f); scale != 0)
    shape.logit_scale = 1.0f / scale;
  return shape;
}

}  // namespace

extern const Family kGranite = {"granite",      "granite", granite_from_json, granite_from_gguf,
                                llama_places(), "model.",  llama_buffers()};

}  // namespace speclab::engines
