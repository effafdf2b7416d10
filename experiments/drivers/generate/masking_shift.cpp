#include "experiments/drivers/generate/masking_shift.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "experiments/drivers/generate/constraint.h"
#include "experiments/drivers/generate/texts.h"
#include "sim/core/vector_math.h"
#include "sim/statistics/jackknife.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr double kFewestEffective = 30;  ///< texts of equal weight, for an interval

/// Half the mean distance of the weights from their mean, in units of the mean.
/// @param left_out  a weight that does not count; weights.size(): all count
double total_variation(const std::vector<double>& weights, std::size_t left_out) {
  double sum = 0, count = 0, distance = 0;
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (i != left_out) sum += weights[i], ++count;
  if (sum == 0) return 0;
  const double mean = sum / count;
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (i != left_out) distance += std::abs(weights[i] - mean);
  return 0.5 * distance / sum;
}

/// None if few texts hold most of the weight, or if the weights have no spread: neither says how
/// much matches weigh that were not drawn.
std::optional<analysis::Interval> interval_of(const std::vector<double>& weights, double value,
                                              double effective) {
  if (value == 0 || effective < kFewestEffective) return std::nullopt;
  constexpr double kNormal95 = 1.959964;
  std::vector<double> without;
  for (std::size_t i = 0; i < weights.size(); ++i) without.push_back(total_variation(weights, i));
  const double half = kNormal95 * std::sqrt(sim::jackknife_variance(without));
  return analysis::Interval{std::max(0.0, value - half), std::min(1.0, value + half)};
}

/// ln of the mass that the mask allows. @param row  logits over the temperature
double log_allowed_mass(const std::vector<float>& row, const engines::AllowedTokens& allowed) {
  std::vector<float> kept;
  for (std::size_t token = 0; token < row.size(); ++token)
    if (token < allowed.tokens.size() && allowed.tokens[token]) kept.push_back(row[token]);
  SPECLAB_EXPECT(!kept.empty(), "a step with an allowed token");
  return log_sum_exp(kept) - log_sum_exp(row);
}

}  // namespace

MaskingShift masking_shift(const std::vector<double>& log_allowed) {
  SPECLAB_EXPECT(log_allowed.size() >= 2, "two texts or more");
  const double largest = std::ranges::max(log_allowed);
  std::vector<double> weights;
  for (const double log : log_allowed) weights.push_back(std::exp(log - largest));
  const double sum = std::reduce(weights.begin(), weights.end());
  const double squares =
      std::transform_reduce(weights.begin(), weights.end(), weights.begin(), 0.0);
  const double value = total_variation(weights, weights.size());
  const double effective = sum * sum / squares;
  return {.total_variation = {value, interval_of(weights, value, effective), weights.size()},
          .log_match_probability = largest + std::log(sum / static_cast<double>(weights.size())),
          .effective_sample_size = effective};
}

double log_allowed(engines::LanguageModel& model, const std::vector<Token>& prompt,
                   const std::vector<Token>& text, const engines::TokenMask& mask,
                   double temperature) {
  constexpr std::size_t kRows = 16;  ///< of a forward
  Text whole{prompt, prompt.size()};
  whole.ids.insert(whole.ids.end(), text.begin(), text.end());
  double sum = 0;
  visit_logits_of_rows(model, whole, kRows, [&](std::size_t i, std::span<const float> logits) {
    std::vector<float> row(logits.begin(), logits.end());
    for (float& logit : row) logit = static_cast<float>(static_cast<double>(logit) / temperature);
    sum += log_allowed_mass(row, mask.allowed(std::span(text).first(i - prompt.size())));
  });
  return sum;
}

void add_masking_shift(const DrawnTexts& drawn, nlohmann::ordered_json& result) {
  std::vector<double> logs;
  result["masking_shift"] = nullptr;
  const engines::SamplingOptions& sampling = drawn.sampling;
  for (const nlohmann::ordered_json& one : result["sequences"]) {
    drawn.check_interruption();
    const auto reason = one["stop_reason"].get<std::string>();
    if (reason != "end_of_sequence") {
      fmt::print(stderr, "speclab: no masking shift, because a text was cut ({}); {}\n", reason,
                 advice_for(reason));
      return;
    }
    logs.push_back(log_allowed(drawn.model, drawn.prompt, one["ids"].get<std::vector<Token>>(),
                               *sampling.rules.mask, sampling.temperature));
  }
  const MaskingShift shift = masking_shift(logs);
  const std::optional<analysis::Interval>& interval = shift.total_variation.interval;
  result["masking_shift"] = {{"total_variation", shift.total_variation.value},
                             {"low", interval ? nlohmann::ordered_json(interval->low) : nullptr},
                             {"high", interval ? nlohmann::ordered_json(interval->high) : nullptr},
                             {"texts", logs.size()},
                             {"effective_sample_size", shift.effective_sample_size},
                             {"log_match_probability", shift.log_match_probability}};
  const std::string range = interval
                                ? fmt::format(" [{:.3f}, {:.3f}]", interval->low, interval->high)
                                : " without an interval";
  fmt::print(
      stderr,
      "speclab: masking shift {:.3f}{}, over {} texts, an effective sample of {:.1f}; the model "
      "alone matches with probability {:.2g}; both are too low if likely matches were not "
      "drawn\n",
      shift.total_variation.value, range, logs.size(), shift.effective_sample_size,
      std::exp(shift.log_match_probability));
}

}  // namespace speclab::experiments
