#include "engines/families/gguf_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engines/families/json_shape.h"
#include "engines/formats/input_file.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

using Kind = RotaryScaling::Kind;

constexpr const char *kFrequencyFactors = "rope_freqs.weight",
                     *kFarFactors = "rope_factors_long.weight",
                     *kNearFactors = "rope_factors_short.weight", *kType = "rope.scaling.type",
                     *kFactor = "rope.scaling.factor", *kOldFactor = "rope.scale_linear",
                     *kMagnitude = "rope.scaling.attn_factor";
constexpr double kMostMagnitude = 100;

[[noreturn]] void refuse_tensor(const GgufKeys& keys, const char* name, std::string found,
                                std::string allowed) {
  throw_model_file_error(keys.file().path(), 0,
                         {fmt::format("tensor '{}'", name), std::move(found), std::move(allowed)});
}

/// 1 where no key says another; llama.cpp's 0 means none too.
double factor_of(const GgufKeys& keys) {
  const float old = keys.number_or(kOldFactor, 1.0f), said = keys.number_or(kFactor, old);
  if (keys.has(kOldFactor) && said != old)
    keys.fail(kOldFactor, fmt::format("{}", old), fmt::format("{}, as {} says", said, kFactor));
  if (said == 0) return 1;
  if (!(said >= 1) || !(said <= 0x1p24f))
    keys.fail(kFactor, fmt::format("{}", said), "a number of at least 1, at most 2^24");
  return static_cast<double>(said);
}

Kind kind_of(const GgufKeys& keys, double factor) {
  const std::string type = keys.text_or(kType, factor > 1 ? "linear" : "none");
  const bool is_plain = type == "none" || type == "longrope";
  if (is_plain && factor != 1)
    keys.fail(kType, "'" + type + "'", fmt::format("linear or yarn with a factor of {}", factor));
  if (type == "yarn") return Kind::yarn;
  if (type == "linear") return Kind::linear;
  if (is_plain) return Kind::none;
  keys.fail(kType, "'" + escaped(type, 64) + "'", "none, linear, yarn, longrope");
}

double magnitude_of(const GgufKeys& keys) {
  const float magnitude = keys.number_or(kMagnitude, 1.0f);
  if (!(magnitude > 0) || !(static_cast<double>(magnitude) <= kMostMagnitude))
    keys.fail(kMagnitude, fmt::format("{}", magnitude), "a number above 0, at most 100");
  return static_cast<double>(magnitude);
}

/// Negative means that it was not set.
void require_whole_extrapolation(const GgufKeys& keys) {
  const float extrapolation = keys.number_or("rope.scaling.yarn_ext_factor", 1.0f);
  if (!(extrapolation < 0) && extrapolation != 1)
    keys.fail("rope.scaling.yarn_ext_factor", fmt::format("{}", extrapolation), "1");
}

/// llama.cpp does not heed it in these architectures; its converter writes the whole magnitude.
/// Both mean the same at the usual magnitude, and 1 is llama.cpp's word for it.
void require_usual_magnitude(const GgufKeys& keys, double usual) {
  constexpr const char* kKey = "rope.scaling.yarn_attn_factor";
  const auto said = static_cast<double>(keys.number_or(kKey, 1.0f));
  if (said != 1 && !(std::abs(said - usual) < 1e-4))
    keys.fail(kKey, fmt::format("{}", said), fmt::format("1 or {:.6}", usual));
}

void read_yarn(const GgufKeys& keys, RotaryScaling& scaling) {
  const double usual = 0.1 * std::log(scaling.factor) + 1;
  scaling.fast = static_cast<double>(keys.number_or("rope.scaling.yarn_beta_fast", 32.0f));
  scaling.slow = static_cast<double>(keys.number_or("rope.scaling.yarn_beta_slow", 1.0f));
  require_whole_extrapolation(keys);
  require_usual_magnitude(keys, usual);
  if (const float all = keys.number_or("rope.scaling.yarn_log_multiplier", 0.0f); all != 0)
    keys.fail("rope.scaling.yarn_log_multiplier", fmt::format("{}", all), "0");
  if (const double magnitude = magnitude_of(keys); magnitude != 1)
    scaling.attention_factor = usual * magnitude;
}

std::vector<float> divisors_of(const GgufKeys& keys, const char* name, const DecoderShape& shape) {
  const std::int64_t wanted = shape.rotary_size() / 2,
                     found = keys.file().tensor(name).num_elements;
  if (found != wanted)
    refuse_tensor(keys, name, fmt::format("{} numbers", found), fmt::format("{}", wanted));
  std::vector<float> divisors = keys.file().read_float32(name);
  for (const float divisor : divisors)
    if (!(divisor > 0) || !std::isfinite(divisor))
      refuse_tensor(keys, name, fmt::format("{}", divisor), "numbers above 0");
  return divisors;
}

void require_alone(const GgufKeys& keys, const char* name, const RotaryScaling& scaling) {
  const bool is_second =
      keys.file().contains(kFrequencyFactors) && keys.file().contains(kFarFactors);
  if (scaling.kind != Kind::none || is_second)
    refuse_tensor(keys, name, "beside another scaling", "one of them");
}

/// Phi 3's scaling for two contexts, of which the near one is used.
void read_longrope(const GgufKeys& keys, DecoderShape& shape) {
  require_alone(keys, kFarFactors, shape.rotary_scaling);
  RotaryScaling& scaling = shape.rotary_scaling;
  scaling.kind = Kind::longrope;
  scaling.divisors = divisors_of(keys, kNearFactors, shape);
  divisors_of(keys, kFarFactors, shape);
  shape.context_length = std::min(shape.context_length, scaling.original_context);
  scaling.attention_factor = magnitude_of(keys);
}

/// Scaling that stands in tensors.
void read_divisors(const GgufKeys& keys, DecoderShape& shape) {
  const GgufFile& file = keys.file();
  if (file.contains(kNearFactors) && !file.contains(kFarFactors))
    refuse_tensor(keys, kNearFactors, "alone", fmt::format("{} beside it", kFarFactors));
  if (file.contains(kFarFactors)) return read_longrope(keys, shape);
  if (keys.text_or(kType, "") == "longrope")
    keys.fail(kType, "'longrope'",
              fmt::format("longrope with the tensors {} and {}", kNearFactors, kFarFactors));
  if (!file.contains(kFrequencyFactors)) return;
  require_alone(keys, kFrequencyFactors, shape.rotary_scaling);
  shape.rotary_scaling.kind = Kind::divided;
  shape.rotary_scaling.divisors = divisors_of(keys, kFrequencyFactors, shape);
}

/// Only yarn and longrope have a magnitude of cosines and sines.
void require_no_magnitude(const GgufKeys& keys, Kind kind) {
  if (kind == Kind::yarn || kind == Kind::longrope) return;
  if (const double magnitude = magnitude_of(keys); magnitude != 1)
    keys.fail(kMagnitude, fmt::format("{}", magnitude), "1 but with yarn and longrope");
}

/// Rotary base, part and scaling: keys of `rope.`, and the tensors of factors of Llama 3 and Phi 3.
/// @param shape  with its context and heads
/// @throws ModelFileError naming the key or tensor
void read_gguf_rotary(const GgufKeys& keys, DecoderShape& shape) {
  shape.rope_theta = keys.number_or("rope.freq_base", 10000.0f);
  const std::int32_t part =
      keys.integer_or("rope.dimension_count", 1, shape.head_dim, shape.head_dim);
  if (part != shape.head_dim) shape.rotary_part = part;
  RotaryScaling& scaling = shape.rotary_scaling;
  scaling.factor = factor_of(keys);
  scaling.kind = kind_of(keys, scaling.factor);
  scaling.original_context = keys.integer_or("rope.scaling.original_context_length", 1,
                                             DecoderLimits::kLongest, shape.context_length);
  if (scaling.kind == Kind::yarn) read_yarn(keys, scaling);
  read_divisors(keys, shape);
  require_no_magnitude(keys, scaling.kind);
}

}  // namespace

void GgufShape::read_sizes(DecoderShape& shape) const {
  shape.name = file().metadata().find<std::string>("general.name").value_or("");
  shape.context_length = integer("context_length", 1, DecoderLimits::kLongest);
  shape.num_layers = integer("block_count", 1, DecoderLimits::kMostLayers);
  shape.hidden_size = integer("embedding_length", 1, DecoderLimits::kWidest);
  shape.intermediate_size = layer_integer_or("feed_forward_length", 1, DecoderLimits::kWidest, 0);
  shape.num_heads = layer_integer("attention.head_count", 1, DecoderLimits::kMostHeads);
  shape.num_kv_heads =
      layer_integer_or("attention.head_count_kv", 1, DecoderLimits::kMostHeads, shape.num_heads);
  shape.head_dim = integer_or("attention.key_length", 1, DecoderLimits::kWidest,
                              std::max(shape.hidden_size / shape.num_heads, 1));
  if (const std::int32_t value =
          integer_or("attention.value_length", 1, DecoderLimits::kWidest, shape.head_dim);
      value != shape.head_dim)
    fail("attention.value_length", fmt::format("{}", value),
         fmt::format("{}, as the keys", shape.head_dim));
  const std::vector<std::int64_t>& table = file().tensor("token_embd.weight").shape;
  if (table.size() != 2 || table[0] < 1 || table[0] > DecoderLimits::kMostTokens)
    throw_model_file_error(
        file().path(), 0,
        {"rows of token_embd.weight", fmt::format("{}", table.empty() ? 0 : table[0]),
         fmt::format("1 to {}", DecoderLimits::kMostTokens)});
  shape.vocab_size = static_cast<std::int32_t>(table[0]);
}

/// Both norms' epsilons may be there; then they must agree.
void GgufShape::read_epsilon(DecoderShape& shape, NormKind norm) const {
  const std::string rms = "attention.layer_norm_rms_epsilon",
                    layer = "attention.layer_norm_epsilon";
  const std::string& own = norm == NormKind::rms ? rms : layer;
  const std::string& other = norm == NormKind::rms ? layer : rms;
  shape.norm_epsilon = number(own);
  if (number_or(other, shape.norm_epsilon) != shape.norm_epsilon)
    fail(other, fmt::format("{}", number(other)),
         fmt::format("{}, as {}", shape.norm_epsilon, own));
}

DecoderShape GgufShape::common(NormKind norm) const {
  DecoderShape shape;
  read_sizes(shape);
  read_gguf_rotary(*this, shape);
  read_epsilon(shape, norm);
  shape.tied_embeddings = !has_tensor("output.weight");
  shape.query_key_value_bias = has_tensor("blk.0.attn_q.bias") || has_tensor("blk.0.attn_qkv.bias");
  shape.attention_output_bias = has_tensor("blk.0.attn_output.bias");
  shape.feed_forward_bias = has_tensor("blk.0.ffn_down.bias");
  return shape;
}

void GgufShape::read_windows(DecoderShape& shape) const {
  const std::int32_t window = integer_or("attention.sliding_window", 0, DecoderLimits::kLongest, 0);
  if (window > 0) shape.windows.assign(static_cast<std::size_t>(shape.num_layers), window);
}

std::vector<bool> GgufShape::window_layers(const DecoderShape& shape, std::int32_t pattern) const {
  constexpr const char* kKey = "attention.sliding_window_pattern";
  const std::vector<std::int64_t> listed = integers(kKey);
  std::vector<bool> layers;
  if (listed.size() <= 1) {
    const std::int32_t every = integer_or(kKey, 1, DecoderLimits::kMostLayers, pattern);
    for (std::int32_t layer = 0; layer < shape.num_layers; ++layer)
      layers.push_back((layer + 1) % every != 0);
    return layers;
  }
  if (listed.size() != static_cast<std::size_t>(shape.num_layers))
    fail(kKey, fmt::format("a list of {}", listed.size()),
         fmt::format("one for each of {} layers", shape.num_layers));
  for (const std::int64_t each : listed) layers.push_back(each != 0);
  return layers;
}

void GgufShape::read_windows(DecoderShape& shape, std::int32_t window, std::int32_t pattern) const {
  const std::vector<bool> layers = window_layers(shape, pattern);
  const std::int32_t size =
      integer_or("attention.sliding_window", 0, DecoderLimits::kLongest, window);
  for (std::size_t layer = 0; size > 0 && layer < layers.size(); ++layer)
    shape.windows.push_back(layers[layer] ? size : 0);
}

void GgufShape::read_experts(DecoderShape& shape) const {
  shape.num_experts = integer_or("expert_count", 0, DecoderLimits::kMostExperts, 0);
  if (shape.num_experts == 0) return;
  shape.experts_per_token = integer("expert_used_count", 1, shape.num_experts);
  shape.expert_size = layer_integer_or("expert_feed_forward_length", 1, DecoderLimits::kWidest,
                                       shape.intermediate_size);
  shape.normalised_experts = flag_or("expert_weights_norm", true);
  if (shape.intermediate_size == 0) shape.intermediate_size = shape.expert_size;
}

}  // namespace speclab::engines
