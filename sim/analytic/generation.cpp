#include "sim/analytic/generation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "sim/analytic/arguments.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

constexpr double kNsPerSecond = 1e9;

void expect_law(const RoundLaw& law) {
  double total = 0.0;
  for (const RoundOutcome& outcome : law) {
    SPECLAB_EXPECT(
        outcome.accepted >= 0 && outcome.accepted <= outcome.depth && outcome.probability >= 0.0,
        "a round accepts 0 to depth levels, with a probability >= 0");
    total += outcome.probability;
  }
  SPECLAB_EXPECT(std::abs(total - 1.0) <= 1e-9,
                 "the law of a round sums to " + std::to_string(total));
}

RoundLaw merged(const std::map<std::pair<int, int>, double>& probabilities) {
  RoundLaw law;
  for (const auto& [outcome, probability] : probabilities)
    law.push_back({outcome.first, outcome.second, probability});
  return law;
}

int deepest(const RoundLaw& law) {
  int depth = 0;
  for (const RoundOutcome& outcome : law) depth = std::max(depth, outcome.depth);
  return depth;
}

}  // namespace

double LoopTimes::loop_ns(int speculation_length) const {
  expect_not_negative(draft_ns, "draft_ns");
  expect_positive(target_ns, "target_ns");
  expect_at_least(0, speculation_length, "speculation_length");
  return speculation_length * draft_ns + target_ns;
}

std::vector<double> rounds_law(std::span<const double> pmf, int tokens) {
  expect_law(pmf, "pmf");
  expect_at_least(0, tokens, "tokens");
  const auto wanted = static_cast<std::size_t>(tokens);
  std::vector<double> law(wanted + 1, 0.0),
      missing(wanted + 1, 0.0);  // missing[n] = P(n tokens are still to come)
  missing[wanted] = 1.0;
  for (std::size_t round = 0; round <= wanted; ++round) {
    law[round] = missing[0];
    std::vector<double> next(wanted + 1, 0.0);
    for (std::size_t left = 1; left <= wanted; ++left)
      for (std::size_t t = 0; t < pmf.size() && missing[left] > 0.0; ++t)
        next[left > t + 1 ? left - t - 1 : 0] += missing[left] * pmf[t];
    missing = std::move(next);
  }
  return law;
}

int rounds_quantile(std::span<const double> law, double level) {
  expect_law(law, "rounds_law");
  SPECLAB_EXPECT(level > 0.0 && level <= 1.0,
                 "level = " + std::to_string(level) + "; allowed: above 0, at most 1");
  constexpr double kRounding = 1e-12;
  double reached = 0.0;
  int rounds = 0;
  for (const double chance : law) {
    reached += chance;
    if (reached >= level - kRounding) return rounds;
    ++rounds;
  }
  return rounds - 1;
}

SequenceTime sequence_time(double acceptance_rate, int speculation_length, const LoopTimes& times,
                           int tokens) {
  expect_at_least(1, tokens, "tokens");
  const std::vector<double> pmf = tokens_per_round_pmf(acceptance_rate, speculation_length);
  const double mean = expected_rounds(pmf, tokens), loop_ns = times.loop_ns(speculation_length);
  double variance = 0.0, rounds = 0.0;
  for (const double chance : rounds_law(pmf, tokens)) {
    variance += chance * (rounds - mean) * (rounds - mean);
    rounds += 1.0;
  }
  return {.mean_ns = mean * loop_ns, .deviation_ns = std::sqrt(variance) * loop_ns};
}

SequenceSpeeds sequence_speeds(double acceptance_rate, int speculation_length,
                               const LoopTimes& times, int tokens) {
  expect_at_least(1, tokens, "tokens");
  const std::vector<double> pmf = tokens_per_round_pmf(acceptance_rate, speculation_length);
  const std::vector<double> law = rounds_law(pmf, tokens);
  const double tokens_per_s_of_one_round =
      tokens * kNsPerSecond / times.loop_ns(speculation_length);
  const auto percentile = [&](double level) {
    return tokens_per_s_of_one_round / rounds_quantile(law, level);
  };
  return {.mean_tokens_per_s = tokens_per_s_of_one_round / expected_rounds(pmf, tokens),
          .p50_tokens_per_s = percentile(0.5),
          .p90_tokens_per_s = percentile(0.9),
          .p99_tokens_per_s = percentile(0.99)};
}

RoundLaw round_law(std::span<const double> conditional_acceptance) {
  std::vector<double> depth_probability(conditional_acceptance.size() + 1, 0.0);
  depth_probability.back() = 1.0;
  return round_law(depth_probability, conditional_acceptance);
}

RoundLaw round_law(std::span<const double> depth_probability,
                   std::span<const double> conditional_acceptance) {
  SPECLAB_EXPECT(
      !depth_probability.empty() && depth_probability.size() <= conditional_acceptance.size() + 1,
      "depth_probability reaches beyond conditional_acceptance");
  RoundLaw law;
  for (std::size_t depth = 0; depth < depth_probability.size(); ++depth) {
    if (depth_probability[depth] == 0.0) continue;
    const std::vector<double> pmf = tokens_per_round_pmf(conditional_acceptance.first(depth));
    for (std::size_t accepted = 0; accepted <= depth; ++accepted)
      law.push_back({static_cast<int>(depth), static_cast<int>(accepted),
                     depth_probability[depth] * pmf[accepted]});
  }
  expect_law(law);
  return law;
}

RoundLaw empirical_round_law(std::span<const RoundRecord> rounds) {
  SPECLAB_EXPECT(!rounds.empty(), "no rounds were logged");
  std::map<std::pair<int, int>, double> counts;
  for (const RoundRecord& round : rounds) counts[{round.depth, round.accepted}] += 1.0;
  for (auto& [outcome, count] : counts) count /= static_cast<double>(rounds.size());
  RoundLaw law = merged(counts);
  expect_law(law);
  return law;
}

RoundLaw truncated(const RoundLaw& law, int speculation_length) {
  SPECLAB_EXPECT(speculation_length >= 0,
                 "speculation_length = " + std::to_string(speculation_length));
  std::map<std::pair<int, int>, double> probabilities;
  for (const RoundOutcome& outcome : law)
    probabilities[{std::min(outcome.depth, speculation_length),
                   std::min(outcome.accepted, speculation_length)}] += outcome.probability;
  return merged(probabilities);
}

int GenerationPlan::rows(int depth) const {
  if (rows_of_depth.empty()) return depth + 1;
  SPECLAB_EXPECT(static_cast<std::size_t>(depth) < rows_of_depth.size(),
                 "rows_of_depth does not reach depth " + std::to_string(depth));
  return rows_of_depth[static_cast<std::size_t>(depth)];
}

void GenerationPrediction::add(const GenerationPrediction& other, double weight) {
  rounds += weight * other.rounds;
  drafting_rounds += weight * other.drafting_rounds;
  target_ns += weight * other.target_ns;
  draft_ns += weight * other.draft_ns;
  overhead_ns += weight * other.overhead_ns;
}

GenerationPrediction round_prediction(int depth, int context, const GenerationPlan& plan,
                                      const CostSurface& costs) {
  const int rows = plan.rows(depth);
  return {.rounds = 1.0,
          .drafting_rounds = depth > 0 ? 1.0 : 0.0,
          .target_ns = costs.t_target_ns(rows, context),
          .draft_ns = costs.t_draft_ns(depth, context),
          .overhead_ns = costs.overhead_ns(rows, context)};
}

GenerationPrediction predict_generation(const RoundLaw& law, const GenerationPlan& plan,
                                        const CostSurface& costs) {
  expect_law(law);
  SPECLAB_EXPECT(plan.new_tokens > 0 && plan.prompt_tokens >= 0,
                 "new_tokens must be positive, prompt_tokens not negative");
  std::vector<GenerationPrediction> by_tokens_left(static_cast<std::size_t>(plan.new_tokens) + 1);
  for (int left = 1; left <= plan.new_tokens; ++left) {
    const bool cut = plan.end_rule == EndRule::drafts_what_can_be_emitted && left <= deepest(law);
    const RoundLaw round = cut ? truncated(law, left - 1) : law;
    std::vector<double> depth_probability(static_cast<std::size_t>(deepest(law)) + 1, 0.0);
    GenerationPrediction& prediction = by_tokens_left[static_cast<std::size_t>(left)];
    for (const RoundOutcome& outcome : round) {
      depth_probability[static_cast<std::size_t>(outcome.depth)] += outcome.probability;
      prediction.add(
          by_tokens_left[static_cast<std::size_t>(std::max(0, left - outcome.accepted - 1))],
          outcome.probability);
    }
    const int context = plan.prompt_tokens + plan.new_tokens - left;
    for (std::size_t depth = 0; depth < depth_probability.size(); ++depth)
      if (depth_probability[depth] > 0.0)
        prediction.add(round_prediction(static_cast<int>(depth), context, plan, costs),
                       depth_probability[depth]);
  }
  return by_tokens_left.back();
}

}  // namespace speclab::sim
