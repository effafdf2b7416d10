#include "engines/models/families/json_rotary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace speclab::engines {
namespace {

using Kind = RotaryScaling::Kind;

double number_or(const JsonNode& object, const char* key, double otherwise) {
  const auto found = object.find(key);
  return found ? found->as_number() : otherwise;
}

std::string kind_name(const JsonNode& scaling) {
  for (const char* key : {"rope_type", "type"})
    if (const auto found = scaling.find(key)) return found->as_string();
  return "default";
}

Kind kind_of(const JsonNode& scaling) {
  const std::string name = kind_name(scaling);
  if (name == "default") return Kind::none;
  if (name == "linear") return Kind::linear;
  if (name == "dynamic") return Kind::dynamic;
  if (name == "yarn") return Kind::yarn;
  if (name == "llama3") return Kind::llama3;
  if (name == "longrope" || name == "su") return Kind::longrope;
  const JsonNode named = scaling.find("rope_type") ? scaling.at("rope_type") : scaling.at("type");
  named.fail(named.shown(), "default, linear, dynamic, yarn, llama3, longrope");
}

double magnitude_for(double factor, double multiplier) {
  return factor <= 1 ? 1.0 : 0.1 * multiplier * std::log(factor) + 1.0;
}

/// @source transformers, _compute_yarn_parameters
double yarn_attention_factor(const JsonNode& scaling, double factor) {
  if (const auto found = scaling.find("attention_factor")) return found->as_number();
  const double one = number_or(scaling, "mscale", 0), all = number_or(scaling, "mscale_all_dim", 0);
  return one > 0 && all > 0 ? magnitude_for(factor, one) / magnitude_for(factor, all) : 0.0;
}

/// [rotary_size / 2] numbers above 0.
std::vector<float> read_divisors(const JsonNode& scaling, const char* key,
                                 const DecoderShape& shape) {
  std::vector<float> divisors;
  for (const JsonNode& divisor : scaling.at(key).elements()) {
    if (!(divisor.as_number() > 0) || !std::isfinite(divisor.as_number()))
      divisor.fail(divisor.shown(), "a number above 0");
    divisors.push_back(static_cast<float>(divisor.as_number()));
  }
  if (divisors.size() != static_cast<std::size_t>(shape.rotary_size() / 2))
    scaling.at(key).fail(fmt::format("{} numbers", divisors.size()),
                         fmt::format("{}, one a rotary pair", shape.rotary_size() / 2));
  return divisors;
}

double scaling_factor(const JsonNode& scaling, const DecoderShape& shape,
                      std::int32_t original_context) {
  const auto found = scaling.find("factor");
  if (!found && original_context > 0)
    return static_cast<double>(shape.context_length) / original_context;
  const JsonNode factor = scaling.at("factor");
  if (!(factor.as_number() >= 1) || !std::isfinite(factor.as_number()))
    factor.fail(factor.shown(), "a number of at least 1");
  return factor.as_number();
}

RotaryScaling read_scaling(const JsonNode& scaling, const JsonNode& config,
                           const DecoderShape& shape) {
  RotaryScaling result;
  result.kind = kind_of(scaling);
  if (result.kind == Kind::none) {
    if (const auto factor = scaling.find("factor"); factor && factor->as_number() != 1.0)
      factor->fail(factor->shown(), "1, or a rope_type that says how positions are scaled");
    return result;
  }
  const char* original = "original_max_position_embeddings";
  for (const JsonNode* holder : {&scaling, &config})
    if (const auto found = holder->find(original); found && result.original_context == 0)
      result.original_context = static_cast<std::int32_t>(found->as_integer(1, 1 << 24));
  result.factor = scaling_factor(scaling, shape, result.original_context);
  if (result.original_context == 0) result.original_context = shape.context_length;
  result.low_frequency = number_or(scaling, "low_freq_factor", 1);
  result.high_frequency = number_or(scaling, "high_freq_factor", 4);
  if (result.kind == Kind::llama3 && !(result.high_frequency > result.low_frequency))
    scaling.fail(fmt::format("low_freq_factor {} and high_freq_factor {}", result.low_frequency,
                             result.high_frequency),
                 "the second above the first");
  result.fast = number_or(scaling, "beta_fast", 32);
  result.slow = number_or(scaling, "beta_slow", 1);
  if (const auto truncate = scaling.find("truncate")) result.whole_bounds = truncate->as_bool();
  if (result.kind == Kind::yarn)
    result.attention_factor = yarn_attention_factor(scaling, result.factor);
  if (result.kind == Kind::longrope) {
    result.divisors = read_divisors(scaling, "short_factor", shape);
    result.attention_factor = number_or(scaling, "attention_factor", 0);
  }
  return result;
}

void read_part(const JsonNode& holder, DecoderShape& shape) {
  const auto part = holder.find("partial_rotary_factor");
  if (!part) return;
  if (!(part->as_number() > 0) || !(part->as_number() <= 1))
    part->fail(part->shown(), "a number above 0, at most 1");
  shape.rotary_part = static_cast<std::int32_t>(shape.head_dim * part->as_number());
  if (shape.rotary_part < 2)
    part->fail(part->shown(), fmt::format("2 or more of the {} values of a head", shape.head_dim));
}

/// max_position_embeddings is the trained context where scaling is dynamic, and often with yarn.
/// Longrope's far numbers are not used, so that its context ends with the original one.
void stretch_context(DecoderShape& shape) {
  const RotaryScaling& scaling = shape.rotary_scaling;
  if (scaling.kind == Kind::longrope)
    shape.context_length = std::min(shape.context_length, scaling.original_context);
  if (scaling.kind != Kind::dynamic && scaling.kind != Kind::yarn) return;
  const double stretched = scaling.factor * scaling.original_context;
  shape.context_length = std::max(shape.context_length,
                                  static_cast<std::int32_t>(std::min(stretched, double{1 << 24})));
}

void read_parameters(const JsonNode& parameters, const JsonNode& config, DecoderShape& shape) {
  shape.rope_theta = static_cast<float>(
      number_or(parameters, "rope_theta", static_cast<double>(shape.rope_theta)));
  read_part(parameters, shape);
  shape.rotary_scaling = read_scaling(parameters, config, shape);
  stretch_context(shape);
}

}  // namespace

void read_json_rotary(const JsonNode& config, DecoderShape& shape, float theta, double part) {
  shape.rope_theta =
      static_cast<float>(number_or(config, "rope_theta", static_cast<double>(theta)));
  if (part < 1) shape.rotary_part = static_cast<std::int32_t>(shape.head_dim * part);
  read_part(config, shape);
  const auto parameters = config.find("rope_parameters");
  if (!parameters) {
    if (const auto scaling = config.find("rope_scaling")) read_parameters(*scaling, config, shape);
    return;
  }
  const auto global = parameters->find("full_attention");
  read_parameters(global ? *global : *parameters, config, shape);
  if (const auto local = parameters->find("sliding_attention"))
    shape.window_rope_theta = static_cast<float>(local->at("rope_theta").as_number());
}

}  // namespace speclab::engines
