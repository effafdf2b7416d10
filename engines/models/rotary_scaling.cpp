#include "engines/models/rotary_scaling.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engines/models/decoder_shape.h"

namespace speclab::engines {
namespace {

std::vector<double> plain_frequencies(double base, std::int32_t size) {
  std::vector<double> frequencies;
  for (std::int32_t i = 0; i < size; i += 2)
    frequencies.push_back(std::pow(base, -static_cast<double>(i) / size));
  return frequencies;
}

/// @source transformers, _compute_dynamic_ntk_parameters, for a text that ends at this position
double grown_base(const RotaryScaling& scaling, double base, std::int32_t size,
                  std::int32_t position) {
  const double length = std::max(position + 1, scaling.original_context);
  const double stretch = scaling.factor * length / scaling.original_context - (scaling.factor - 1);
  return base * std::pow(stretch, static_cast<double>(size) / (size - 2));
}

/// @source meta-llama, Llama 3.1: between the two wavelengths the frequencies are mixed.
void scale_as_llama3(const RotaryScaling& scaling, std::vector<double>& frequencies) {
  for (double& frequency : frequencies) {
    const double turns = scaling.original_context * frequency / (2 * std::numbers::pi);
    const double share = std::clamp(
        (turns - scaling.low_frequency) / (scaling.high_frequency - scaling.low_frequency), 0.0,
        1.0);
    frequency = (1 - share) * frequency / scaling.factor + share * frequency;
  }
}

/// Number of the pair that makes `turns` turns within the original context.
double pair_of_turns(const RotaryScaling& scaling, double base, std::int32_t size, double turns) {
  return size * std::log(scaling.original_context / (turns * 2 * std::numbers::pi)) /
         (2 * std::log(base));
}

/// Pairs that turn fast keep their frequency, slow ones are divided, those between are mixed.
void scale_as_yarn(const RotaryScaling& scaling, double base, std::int32_t size,
                   std::vector<double>& frequencies) {
  double low = pair_of_turns(scaling, base, size, scaling.fast),
         high = pair_of_turns(scaling, base, size, scaling.slow);
  if (scaling.whole_bounds) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, size - 1.0);
  if (low == high) high += 0.001;
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const double divided = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
    frequencies[i] = frequencies[i] * (1 - divided) + frequencies[i] / scaling.factor * divided;
  }
}

void divide(std::vector<double>& frequencies, const std::vector<float>& divisors) {
  for (std::size_t i = 0; i < frequencies.size(); ++i)
    frequencies[i] /= static_cast<double>(divisors[i]);
}

double longrope_magnitude(const RotaryScaling& scaling) {
  if (scaling.attention_factor > 0) return scaling.attention_factor;
  return scaling.factor <= 1
             ? 1.0
             : std::sqrt(1 + std::log(scaling.factor) / std::log(scaling.original_context));
}

double yarn_magnitude(const RotaryScaling& scaling) {
  if (scaling.attention_factor > 0) return scaling.attention_factor;
  return scaling.factor <= 1 ? 1.0 : 0.1 * std::log(scaling.factor) + 1.0;
}

}  // namespace

RotaryFrequencies rotary_frequencies(const DecoderShape& shape, RotaryBase base,
                                     std::int32_t position) {
  const std::int32_t size = shape.rotary_size();
  if (base == RotaryBase::window)
    return {plain_frequencies(static_cast<double>(*shape.window_rope_theta), size)};
  const RotaryScaling& scaling = shape.rotary_scaling;
  const double theta = static_cast<double>(shape.rope_theta);
  if (scaling.kind == RotaryScaling::Kind::dynamic)
    return {plain_frequencies(grown_base(scaling, theta, size, position), size)};
  RotaryFrequencies result{plain_frequencies(theta, size)};
  switch (scaling.kind) {
    case RotaryScaling::Kind::none:
    case RotaryScaling::Kind::dynamic:
      break;
    case RotaryScaling::Kind::linear:
      for (double& frequency : result.per_position) frequency /= scaling.factor;
      break;
    case RotaryScaling::Kind::yarn:
      scale_as_yarn(scaling, theta, size, result.per_position);
      result.magnitude = yarn_magnitude(scaling);
      break;
    case RotaryScaling::Kind::llama3:
      scale_as_llama3(scaling, result.per_position);
      break;
    case RotaryScaling::Kind::divided:
      divide(result.per_position, scaling.divisors);
      break;
    case RotaryScaling::Kind::longrope:
      divide(result.per_position, scaling.divisors);
      result.magnitude = longrope_magnitude(scaling);
      break;
  }
  return result;
}

RotaryBase rotary_base_of(const DecoderShape& shape, std::int32_t layer) {
  return shape.window_rope_theta && window_of(shape, layer) > 0 ? RotaryBase::window
                                                                : RotaryBase::global;
}

}  // namespace speclab::engines
