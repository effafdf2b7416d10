#pragma once
// Rotary positions (Su et al. 2021) and the ways to stretch them beyond the trained context.

#include <cstdint>
#include <vector>

namespace speclab::engines {

struct RotaryScaling {
  enum class Kind : std::uint8_t {
    none,
    linear,    ///< positions / factor (Chen et al. 2023, arXiv 2306.15595)
    dynamic,   ///< a base that grows with the position beyond the original context
    yarn,      ///< Peng et al. 2023, arXiv 2309.00071
    llama3,    ///< low frequencies / factor, high ones as they are (Llama 3.1)
    divided,   ///< every frequency by a number of its own: GGUF's rope_freqs
    longrope,  ///< likewise, within the original context alone (arXiv 2402.13753)
  };
  Kind kind = Kind::none;
  double factor = 1;
  std::int32_t original_context = 0;
  double low_frequency = 1, high_frequency = 4;  ///< llama3: original context / wavelength
  double fast = 32, slow = 1;                    ///< yarn: turns in the original context
  bool whole_bounds = true;       ///< yarn: the bounds of its ramp are rounded outwards
  double attention_factor = 0;    ///< of cosines and sines; 0: yarn 0.1 ln(factor) + 1, longrope
                                  ///< sqrt(1 + ln(factor) / ln(original context))
  std::vector<float> divisors{};  ///< divided, longrope: [rotary_size / 2]

  bool operator==(const RotaryScaling&) const = default;
};

struct DecoderShape;

/// Angles a step of the position, one a rotary pair, and the factor of cosine and sine.
struct RotaryFrequencies {
  std::vector<double> per_position;  ///< [rotary_size / 2]
  double magnitude = 1;
};

/// The base, of a model's one or two, that a layer turns by.
enum class RotaryBase : std::uint8_t { global, window };

/// @param position  of the row. With dynamic scaling a row is turned as in a text that ends with
/// it, and keeps its key when the text goes on: what is fed beside it, or later, changes nothing.
/// transformers does the same to every token that it generates. It turns all rows of a prompt
/// longer than the original context by the whole prompt's base; there its logits are others.
RotaryFrequencies rotary_frequencies(const DecoderShape& shape, RotaryBase base,
                                     std::int32_t position);
/// The base of a layer: window where it has a window and the shape has a base for those.
RotaryBase rotary_base_of(const DecoderShape& shape, std::int32_t layer);

}  // namespace speclab::engines
