#pragma once
// The distance between the laws of one model in two arithmetics. It is the price of a number format
// and says nothing of speculation.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/drivers/verify/own_texts.h"

namespace speclab::experiments {

/// Number formats that a model can be compared in.
inline constexpr std::array<const char*, 2> kComparedDtypes{"float32", "bfloat16"};

struct ArithmeticDistance {
  std::string dtype, other_dtype;
  std::vector<double> total_variations;  ///< of every position: half the sum of |p - p'|, where p
                                         ///< and p' are the laws at temperature 1
  std::int64_t same_arg_max = 0;         ///< positions
  std::size_t texts = 0, prompts = 0;
  std::optional<double> standard_error{};  ///< of the mean, over prompts; over texts if there is
                                           ///< one prompt; nothing for a single text

  double mean() const;
  double largest() const;
  std::optional<double> percentile_99() const;  ///< of these positions; nothing below 662 of them
  double arg_max_agreement() const;             ///< share of the positions
};

/// @param dtype  of the model that wrote the texts
/// @param other  the same model in another arithmetic, which reads the same texts
/// @throws NotFiniteError
ArithmeticDistance distance_to(
    engines::LanguageModel& other, const std::string& dtype, const OwnTexts& own,
    const TokensDone& done = [](std::size_t) {});

/// The distance in lines for people, with its n, its standard error and its meaning.
std::string distance_text(const ArithmeticDistance& distance);

}  // namespace speclab::experiments
