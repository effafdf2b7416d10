#pragma once
// The noise of one model's rows beside each other, and the distance between its laws in two
// arithmetics, which is the price of a number format and says nothing of speculation.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engines/interface/engines.h"
#include "experiments/drivers/generate/texts.h"

namespace speclab::experiments {

/// What the same rows give alone and side by side: teacher-forced, so that every row counts and not
/// only the first difference.
struct RowNoise {
  std::vector<double> largest_of_row;  ///< |difference| of a logit
  std::int64_t different = 0;          ///< rows of which any bit differs
  double allowed = 0.0;    ///< what the order of additions may do at most, whatever was found: 0
                           ///< where kernels are row-invariant
  std::int64_t flips = 0;  ///< rows whose arg max differs

  std::int64_t rows() const { return static_cast<std::int64_t>(largest_of_row.size()); }
  double largest() const;
};

/// Allowed are 0 on the CPU, whose kernels are row-invariant; elsewhere, of the largest |logit|, 32
/// rounding errors in float32 (on OpenBLAS 13 were seen) and 4 in bfloat16 (1.7 were seen,
/// emulated).
/// @param rows_together  of the forwards that are compared with forwards of one row
RowNoise measure_row_noise(
    engines::LanguageModel& model, const std::vector<Text>& texts, std::size_t rows_together,
    const TokensDone& done = [](std::size_t) {});

/// Texts that a model wrote itself, with its logits, so that another arithmetic can read them
/// later.
struct OwnTextSettings {
  std::int32_t positions = 2000;  ///< >= 1; all prompts get the same number, rounded up
  std::uint64_t seed = 0;
  bool ignore_eos = false;
};

/// Texts sampled at temperature 1 without cutoffs. The logits outlive the model, so that two models
/// never lie in memory together. They take 4 bytes for each position and token of the vocabulary.
struct OwnTexts {
  std::vector<Text> texts;
  std::vector<std::size_t> prompt_of;      ///< text -> prompt
  std::vector<std::vector<float>> logits;  ///< text -> [tokens of the output, vocab]
};

/// A prompt gets further texts until it has its positions: texts may end early, and none has more
/// than 256 tokens.
/// @param requests  at least one; their sequence_id is not read
/// @param done  told of each token twice: when it is written, and when its logits are kept
/// @throws ConfigError if a prompt fills the context, and what the engines throw
OwnTexts write_own_texts(
    engines::Engines& engines, engines::LoadedModel& target,
    const std::vector<engines::Request>& requests, const OwnTextSettings& settings,
    const TokensDone& done = [](std::size_t) {});

/// Logits before every token of the output, [tokens of the output, vocab], of forwards of 16 rows.
/// The CPU's kernels are row-invariant, so plain decoding samples from the same.
std::vector<float> own_logits(engines::LanguageModel& model, const Text& text);

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
