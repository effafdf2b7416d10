// The numbers of a scaling of rotary positions.
// @source transformers 5, modeling_rope_utils.py

#include "engines/families/json_rotary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace speclab::engines {
namespace {

using Kind = RotaryScaling::Kind;

/// Limits beyond which a number is damage: published factors end at 64, magnitudes at 2.
constexpr double kLargestFactor = 1 << 24, kLargestMagnitude = 100;

constexpr const char* kOriginal = "original_max_position_embeddings";

constexpr const char* kKnownKeys[] = {
    "rope_type",        "type",         "rope_theta",      "partial_rotary_factor",
    "factor",           kOriginal,      "low_freq_factor", "high_freq_factor",
    "attention_factor", "beta_fast",    "beta_slow",       "mscale",
    "mscale_all_dim",   "short_factor", "long_factor",     "truncate",
    "finetuned"};

void refuse_unknown_keys(const JsonNode& table) {
  for (const std::string& key : table.keys()) {
    const auto found = table.find(key);
    const auto is_key = [&key](const char* known) { return key == known; };
    if (!found || std::ranges::any_of(kKnownKeys, is_key)) continue;
    found->fail(found->shown(), "no key but rope_type, rope_theta, factor and those of its type");
  }
}

double number_up_to(const JsonNode& number, double most) {
  if (!(number.as_number() > 0) || !(number.as_number() <= most))
    number.fail(number.shown(), fmt::format("a number above 0, at most {}", most));
  return number.as_number();
}

Kind kind_named(const JsonNode& named) {
  const std::string& name = named.as_string();
  if (name == "default") return Kind::none;
  if (name == "linear") return Kind::linear;
  if (name == "dynamic") return Kind::dynamic;
  if (name == "yarn") return Kind::yarn;
  if (name == "llama3") return Kind::llama3;
  if (name == "longrope" || name == "su") return Kind::longrope;
  named.fail(named.shown(), "default, linear, dynamic, yarn, llama3, longrope");
}

Kind kind_of(const JsonNode& table) {
  const auto type = table.find("rope_type"), old_type = table.find("type");
  if (type && old_type && kind_named(*type) != kind_named(*old_type))
    old_type->fail(old_type->shown(), fmt::format("{}, as rope_type says", type->shown()));
  if (type) return kind_named(*type);
  return old_type ? kind_named(*old_type) : Kind::none;
}

/// A file without a scaling may still name its factor 1.
void refuse_factor(const JsonNode& table) {
  if (const auto factor = table.find("factor"); factor && factor->as_number() != 1.0)
    factor->fail(factor->shown(), "1, or a rope_type that says how positions are scaled");
}

double factor_of(const JsonNode& table) {
  const JsonNode factor = table.at("factor");
  if (!(factor.as_number() >= 1) || !(factor.as_number() <= kLargestFactor))
    factor.fail(factor.shown(), fmt::format("a number of at least 1, at most {}", kLargestFactor));
  return factor.as_number();
}

/// Files without a factor mean the quotient of both contexts.
double factor_or_quotient(const JsonNode& table, const DecoderShape& shape, double original) {
  return table.find("factor") ? factor_of(table) : shape.context_length / original;
}

std::int32_t as_context(const JsonNode& number) {
  return static_cast<std::int32_t>(number.as_integer(1, 1 << 24));
}

/// The original context, from the table or from beside it; nothing where both are silent.
std::optional<std::int32_t> original_of(const JsonNode& table, const JsonNode& config) {
  const auto own = table.find(kOriginal), beside = config.find(kOriginal);
  if (own && beside && as_context(*own) != as_context(*beside))
    own->fail(own->shown(), fmt::format("{}, as beside the table", beside->shown()));
  if (own) return as_context(*own);
  return beside ? std::optional(as_context(*beside)) : std::nullopt;
}

std::int32_t required_original(const JsonNode& table, const JsonNode& config) {
  const auto original = original_of(table, config);
  return original ? *original : as_context(table.at(kOriginal));
}

double magnitude_for(double factor, double multiplier) {
  return factor <= 1 ? 1.0 : 0.1 * multiplier * std::log(factor) + 1.0;
}

/// 0, as if it were missing, or a number above 0.
double multiplier_of(const JsonNode& table, const char* key) {
  const auto found = table.find(key);
  return found && found->as_number() != 0 ? number_up_to(*found, kLargestMagnitude) : 0.0;
}

/// @return 0 where the default of the kind holds
double attention_factor_of(const JsonNode& table) {
  const auto found = table.find("attention_factor");
  return found ? number_up_to(*found, kLargestMagnitude) : 0.0;
}

void read_yarn(const JsonNode& table, const JsonNode& config, const DecoderShape& shape,
               RotaryScaling& scaling) {
  const auto original = original_of(table, config);
  scaling.original_context = original.value_or(shape.context_length);
  scaling.factor =
      original ? factor_or_quotient(table, shape, scaling.original_context) : factor_of(table);
  scaling.fast = table.number_or("beta_fast", 32);
  scaling.slow = table.number_or("beta_slow", 1);
  scaling.whole_bounds = table.flag_or("truncate", scaling.whole_bounds);
  scaling.attention_factor = attention_factor_of(table);
  const double one = multiplier_of(table, "mscale"), all = multiplier_of(table, "mscale_all_dim");
  if (scaling.attention_factor == 0 && one > 0 && all > 0)
    scaling.attention_factor =
        magnitude_for(scaling.factor, one) / magnitude_for(scaling.factor, all);
}

void read_llama3(const JsonNode& table, const JsonNode& config, RotaryScaling& scaling) {
  scaling.factor = factor_of(table);
  scaling.low_frequency = table.at("low_freq_factor").as_number();
  scaling.high_frequency = table.at("high_freq_factor").as_number();
  if (!(scaling.high_frequency > scaling.low_frequency) || !std::isfinite(scaling.high_frequency))
    table.fail(fmt::format("low_freq_factor {} and high_freq_factor {}", scaling.low_frequency,
                           scaling.high_frequency),
               "the second above the first");
  scaling.original_context = required_original(table, config);
}

/// [rotary_size / 2] numbers above 0.
std::vector<float> read_divisors(const JsonNode& table, const char* key,
                                 const DecoderShape& shape) {
  std::vector<float> divisors;
  for (const JsonNode& divisor : table.at(key).elements())
    divisors.push_back(static_cast<float>(number_up_to(divisor, kLargestFactor)));
  if (divisors.size() != static_cast<std::size_t>(shape.rotary_size() / 2))
    table.at(key).fail(fmt::format("{} numbers", divisors.size()),
                       fmt::format("{}, one a rotary pair", shape.rotary_size() / 2));
  return divisors;
}

/// The far numbers are checked and not used: the context ends before them.
void read_longrope(const JsonNode& table, const JsonNode& config, const DecoderShape& shape,
                   RotaryScaling& scaling) {
  scaling.divisors = read_divisors(table, "short_factor", shape);
  read_divisors(table, "long_factor", shape);
  scaling.original_context = required_original(table, config);
  scaling.factor = factor_or_quotient(table, shape, scaling.original_context);
  scaling.attention_factor = attention_factor_of(table);
}

}  // namespace

RotaryScaling read_json_scaling(const JsonNode& table, const JsonNode& config,
                                const DecoderShape& shape) {
  refuse_unknown_keys(table);
  RotaryScaling scaling;
  scaling.kind = kind_of(table);
  switch (scaling.kind) {
    case Kind::none:
    case Kind::divided:
      refuse_factor(table);
      break;
    case Kind::linear:
      scaling.factor = factor_of(table);
      break;
    case Kind::dynamic:  // transformers stretches max_position_embeddings, whatever else is there
      scaling.factor = factor_of(table);
      scaling.original_context = shape.context_length;
      break;
    case Kind::yarn:
      read_yarn(table, config, shape, scaling);
      break;
    case Kind::llama3:
      read_llama3(table, config, scaling);
      break;
    case Kind::longrope:
      read_longrope(table, config, shape, scaling);
      break;
  }
  return scaling;
}

}  // namespace speclab::engines
