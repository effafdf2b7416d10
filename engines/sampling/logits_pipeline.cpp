#include "engines/sampling/logits_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "engines/cpu/kernels.h"
#include "engines/interface/not_finite.h"
#include "engines/interface/sampling_options.h"
#include "engines/interface/sampling_rows.h"
#include "engines/sampling/score_processors.h"
#include "sim/core/vector_math.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

/// Index of the largest score, the lowest on ties; index of a NaN where there is one.
std::size_t arg_max(std::span<const float> scores) {
  return static_cast<std::size_t>(
      cpu::best_kernels()->arg_max(scores.data(), static_cast<int>(scores.size())));
}
std::size_t arg_max(std::span<const double> scores) {
  const auto nan = std::ranges::find_if(scores, [](double score) { return std::isnan(score); });
  return nan != scores.end() ? static_cast<std::size_t>(nan - scores.begin())
                             : index_of_max(scores);
}

/// out = softmax(scores / temperature). @return the sum of the exponentials; not finite where a
/// score is no number
double softmax(std::span<const float> scores, double temperature, std::span<float> out) {
  return cpu::best_kernels()->softmax(scores.data(), static_cast<int>(scores.size()),
                                      static_cast<float>(1.0 / temperature), out.data());
}
double softmax(std::span<const double> scores, double temperature, std::span<double> out) {
  const double largest = scores[arg_max(scores)];
  double total = 0;
  for (std::size_t i = 0; i < scores.size(); ++i)
    total += out[i] = std::exp((scores[i] - largest) / temperature);
  for (double& probability : out) probability /= total;
  return total;
}

void check(bool valid, const char* field, double value, const char* allowed) {
  if (!valid || !std::isfinite(value))
    throw ConfigError(fmt::format("{} = {}; allowed: {}", field, value, allowed));
}

}  // namespace

template <typename Scalar>
BasicLogitsPipeline<Scalar>::BasicLogitsPipeline(const SamplingOptions& options, std::string model)
    : options_(options), model_(std::move(model)), cutoffs_(options) {
  options_.validate();
}

template <typename Scalar>
void BasicLogitsPipeline<Scalar>::require_finite(double value,
                                                 std::span<const Scalar> logits) const {
  if (std::isfinite(value)) return;
  const bool all_numbers = std::ranges::none_of(logits, [](Scalar logit) {
    return std::isnan(logit) || logit == std::numeric_limits<Scalar>::infinity();
  });
  if (all_numbers && changes_scores(options_)) throw ConfigError(kNoTokenLeft);
  throw_logits_not_finite(model_);
}

template <typename Scalar>
void BasicLogitsPipeline<Scalar>::law(std::span<const Scalar> logits,
                                      std::span<const Token> history, BasicLaw<Scalar>& law) {
  const std::span<const Scalar> scores = processed(logits, history);
  if (options_.temperature == 0) {
    const std::size_t best = arg_max(scores);
    require_finite(static_cast<double>(scores[best]), logits);
    return law.assign_point_mass(scores.size(), static_cast<Token>(best));
  }
  if (!cutoffs_.any())
    return require_finite(softmax(scores, options_.temperature, law.assign_dense(scores.size())),
                          logits);
  probabilities_.resize(scores.size());
  require_finite(softmax(scores, options_.temperature, probabilities_), logits);
  cutoffs_.apply(probabilities_, law);
}

template <typename Scalar>
std::span<const Scalar> BasicLogitsPipeline<Scalar>::processed(std::span<const Scalar> logits,
                                                               std::span<const Token> history) {
  if (!changes_scores(options_)) return logits;
  options_.check_tokens(logits.size(), model_);
  scores_.assign(logits.begin(), logits.end());
  process_scores(options_, std::span<Scalar>(scores_), history, tokens_);
  return scores_;
}

template class BasicLogitsPipeline<float>;
template class BasicLogitsPipeline<double>;

void SamplingOptions::validate() const {
  check(temperature >= 0, "temperature", temperature, "finite numbers >= 0 (0 is greedy)");
  check(temperature == 0 || temperature >= kLeastTemperature, "temperature", temperature,
        "0 or at least 0.001");
  for_each_sampling_row([this](const auto& row) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(this->*row.member)>>)
      check(row.range.holds(this->*row.member), row.name, this->*row.member, row.range.allowed);
  });
  for (const std::int32_t token : suppress_tokens)
    check(token >= 0, "suppress_tokens", token, ranges::kIds.allowed);
  for (const std::int32_t token : eos_token_ids)
    check(token >= 0, "eos_token_ids", token, ranges::kIds.allowed);
  rules.validate();
}

void SamplingOptions::check_tokens(std::size_t vocab_size, const std::string& model) const {
  for (const auto* tokens : {&suppress_tokens, &eos_token_ids})
    for (const Token token : *tokens)
      if (token < 0 || static_cast<std::size_t>(token) >= vocab_size)
        throw ConfigError(fmt::format(
            "suppress_tokens or eos_token_ids has {}; allowed: 0 to {} ({}'s vocabulary)", token,
            vocab_size - 1, escaped(model, 200)));
  for (const Token token : rules.tokens())
    if (token < 0 || static_cast<std::size_t>(token) >= vocab_size)
      throw ConfigError(fmt::format(
          "sequence_bias, bad_words_ids, begin_suppress_tokens or a forced token has {}; allowed: "
          "0 to {} ({}'s vocabulary)",
          token, vocab_size - 1, escaped(model, 200)));
}

}  // namespace speclab::engines
