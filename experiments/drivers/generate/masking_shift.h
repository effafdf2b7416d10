#pragma once
// The distance of drawing behind a mask from the model's own law, given that the text matches.

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "analysis/tables/estimate.h"
#include "engines/interface/language_model.h"
#include "engines/interface/sampling_options.h"
#include "engines/interface/token_mask.h"

namespace speclab::experiments {

/// A mask scales each step up to 1 by itself. A text with the allowed probabilities z_1, z_2, ...
/// of its steps is therefore drawn with 1 / (z_1 z_2 ...) times its probability under the model.
struct MaskingShift {
  analysis::Estimate total_variation;  ///< of laws of token sequences; 95 % over texts, without an
                                       ///< interval if all weigh the same or few hold the weight
  double log_match_probability = 0;    ///< of the model's own text, nats
  double effective_sample_size = 0;    ///< texts of equal weight that are worth as much
};

/// From texts drawn behind the mask. Matches that were never drawn are not seen, so shift and
/// probability lean low. @param log_allowed  of each text, ln(z_1 z_2 ...); at least 2
/// @source importance sampling: Owen 2013, Monte Carlo theory, methods and examples, section 9.2
MaskingShift masking_shift(const std::vector<double>& log_allowed);

/// ln(z_1 z_2 ...) of a text, its end included, at a temperature above 0.
double log_allowed(engines::LanguageModel& model, const std::vector<Token>& prompt,
                   const std::vector<Token>& text, const engines::TokenMask& mask,
                   double temperature);

/// Everything that is weighed.
struct DrawnTexts {
  engines::LanguageModel& model;
  const engines::SamplingOptions& sampling;  ///< with the mask; temperature above 0
  const std::vector<Token>& prompt;
  std::function<void()> check_interruption;  ///< throws if the user has interrupted
};

/// Adds the key `masking_shift`, null if a text was cut, and prints a line on standard error.
void add_masking_shift(const DrawnTexts& drawn, nlohmann::ordered_json& result);

}  // namespace speclab::experiments
