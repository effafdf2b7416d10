#include "sim/analytic/generation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "sim/analytic/tokens_per_round.h"
#include "sim/core/errors.h"

namespace speclab::sim {
namespace {

void expect_law(const RoundLaw& law) {
  double total = 0.0;
  for (const RoundOutcome& outcome : law) {
    SPECLAB_EXPECT(outcome.accepted >= 0 && outcome.accepted <= outcome.depth && outcome.probability >= 0.0,
                   "a round accepts 0 to depth levels, with a probability >= 0");
    total += outcome.probability;
  }
  SPECLAB_EXPECT(std::abs(total - 1.0) <= 1e-9, "the law of a round sums to " + std::to_string(total));
}

RoundLaw merged(const std::map<std::pair<int, int>, double>& probabilities) {
  RoundLaw law;
  for (const auto& [outcome, probability] : probabilities) law.push_back({outcome.first, outcome.second, probability});
  return law;
}

int deepest(const RoundLaw& law) {
  int depth = 0;
  for (const RoundOutcome& outcome : law) depth = std::max(depth, outcome.depth);
  return depth;
}

std::vector<int> rows_by_depth(const GenerationPlan& plan, int depth) {
  std::vector<int> rows = plan.rows_of_depth;
  if (rows.empty())
    for (int level = 0; level <= depth; ++level) rows.push_back(level + 1);
  SPECLAB_EXPECT(rows.size() > static_cast<std::size_t>(depth), "rows_of_depth does not reach the deepest draft");
  rows.resize(static_cast<std::size_t>(depth) + 1);
  return rows;
}

void add(GenerationPrediction& sum, const GenerationPrediction& other, double weight) {
  sum.rounds += weight * other.rounds;
  sum.drafting_rounds += weight * other.drafting_rounds;
  sum.target_ns += weight * other.target_ns;
  sum.draft_ns += weight * other.draft_ns;
  sum.overhead_ns += weight * other.overhead_ns;
}

/// Cost of one round at `context`, by the depth of its draft.
std::vector<GenerationPrediction> rounds_by_depth(const std::vector<int>& rows, int context, const CostSurface& costs) {
  std::vector<GenerationPrediction> rounds;
  for (int depth = 0; static_cast<std::size_t>(depth) < rows.size(); ++depth) {
    const int depth_rows = rows[static_cast<std::size_t>(depth)];
    rounds.push_back({.rounds = 1.0, .drafting_rounds = depth > 0 ? 1.0 : 0.0, .target_ns = costs.t_target_ns(depth_rows, context),
                      .draft_ns = costs.t_draft_ns(depth, context), .overhead_ns = costs.overhead_ns(depth_rows, context)});
  }
  return rounds;
}

}  // namespace

RoundLaw round_law(std::span<const double> conditional_acceptance) {
  std::vector<double> depth_probability(conditional_acceptance.size() + 1, 0.0);
  depth_probability.back() = 1.0;
  return round_law(depth_probability, conditional_acceptance);
}

RoundLaw round_law(std::span<const double> depth_probability, std::span<const double> conditional_acceptance) {
  SPECLAB_EXPECT(!depth_probability.empty() && depth_probability.size() <= conditional_acceptance.size() + 1,
                 "depth_probability reaches beyond conditional_acceptance");
  RoundLaw law;
  for (std::size_t depth = 0; depth < depth_probability.size(); ++depth) {
    const std::vector<double> pmf = tokens_per_round_pmf(conditional_acceptance.first(depth));
    for (std::size_t accepted = 0; accepted <= depth; ++accepted)
      law.push_back({static_cast<int>(depth), static_cast<int>(accepted), depth_probability[depth] * pmf[accepted]});
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
  SPECLAB_EXPECT(speculation_length >= 0, "speculation_length = " + std::to_string(speculation_length));
  std::map<std::pair<int, int>, double> probabilities;
  for (const RoundOutcome& outcome : law)
    probabilities[{std::min(outcome.depth, speculation_length), std::min(outcome.accepted, speculation_length)}] += outcome.probability;
  return merged(probabilities);
}

GenerationPrediction predict_generation(const RoundLaw& law, const GenerationPlan& plan, const CostSurface& costs) {
  expect_law(law);
  SPECLAB_EXPECT(plan.new_tokens > 0 && plan.prompt_tokens >= 0, "new_tokens must be positive, prompt_tokens not negative");
  const std::vector<int> rows = rows_by_depth(plan, deepest(law));
  std::vector<GenerationPrediction> by_tokens_left(static_cast<std::size_t>(plan.new_tokens) + 1);
  for (int left = 1; left <= plan.new_tokens; ++left) {
    const auto round_costs = rounds_by_depth(rows, plan.prompt_tokens + plan.new_tokens - left, costs);
    const bool cut = plan.end_rule == EndRule::drafts_what_can_be_emitted && left <= deepest(law);
    GenerationPrediction& prediction = by_tokens_left[static_cast<std::size_t>(left)];
    for (const RoundOutcome& outcome : cut ? truncated(law, left - 1) : law) {
      add(prediction, round_costs[static_cast<std::size_t>(outcome.depth)], outcome.probability);
      const int left_after = std::max(0, left - outcome.accepted - 1);
      add(prediction, by_tokens_left[static_cast<std::size_t>(left_after)], outcome.probability);
    }
  }
  return by_tokens_left.back();
}

}  // namespace speclab::sim
