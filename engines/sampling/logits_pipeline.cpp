#include "engines/sampling/logits_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "engines/interface/not_finite.h"
#include "engines/interface/sampling_options.h"
#include "engines/interface/sampling_rows.h"
#include "engines/sampling/score_processors.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

void check(bool valid, const char* field, double value, const char* allowed) {
  if (!valid || !std::isfinite(value))
    throw ConfigError(fmt::format("{} = {}; allowed: {}", field, value, allowed));
}

}  // namespace

template <typename Scalar>
BasicLogitsPipeline<Scalar>::BasicLogitsPipeline(const SamplingOptions& options, std::string model)
    : options_(options), model_(std::move(model)), cutoffs_(options), passes_(options.team) {
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
    const std::size_t best = passes_.arg_max(scores);
    require_finite(static_cast<double>(scores[best]), logits);
    return law.assign_point_mass(scores.size(), static_cast<Token>(best));
  }
  if (!cutoffs_.any())
    return require_finite(
        passes_.softmax(scores, options_.temperature, law.assign_dense(scores.size())), logits);
  probabilities_.resize(scores.size());
  require_finite(passes_.softmax(scores, options_.temperature, std::span<Scalar>(probabilities_)),
                 logits);
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
