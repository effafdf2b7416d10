#include "experiments/drivers/predict/length_model.h"

#include <algorithm>

#include "sim/analytic/speedup.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr AllowedNumbers kOperationsRatio{0.0, 1e6, "numbers from 0 to 1e6"};
constexpr AllowedNumbers kTargetBytes{1.0, 1e18, "numbers from 1 to 1e18"};
constexpr AllowedNumbers kDraftBytes{0.0, 1e18, "numbers from 0 to 1e18"};

constexpr End kEnds[] = {End::low, End::high};

constexpr double kTie =
    1 + 1e-12;  ///< what rounding alone tells apart is a tie, which the shorter length wins

/// Every way to take an end of each cost's interval.
std::vector<CostCorner> corners() {
  std::vector<CostCorner> all;
  for (const End plain : kEnds)
    for (const End draft : kEnds)
      for (const End verify : kEnds)
        for (const End overhead : kEnds) all.push_back({plain, draft, verify, overhead});
  return all;
}

}  // namespace

MemoryOptions memory_options(const PredictOptions& options) {
  MemoryOptions memory{.draft_operations_ratio =
                           parse_number("--draft-operations-ratio", options.draft_operations_ratio,
                                        kOperationsRatio)};
  if (options.target_bytes.has_value() != options.draft_bytes.has_value())
    throw ConfigError(
        "--target-bytes and --draft-bytes belong together: the bytes that one forward of each "
        "reads; give both");
  if (options.target_bytes)
    memory.bytes = {parse_number("--target-bytes", *options.target_bytes, kTargetBytes),
                    parse_number("--draft-bytes", *options.draft_bytes, kDraftBytes)};
  return memory;
}

double LengthModel::speedup(double tokens, int length, const CostCorner& corner) const {
  return length == 0 ? 1.0
                     : sim::predicted_speedup_of_tokens(tokens, length, costs_.at(length, corner));
}

analysis::Estimate LengthModel::speedup_with_interval(const analysis::Estimate& tokens,
                                                      int length) const {
  return {.value = speedup(tokens.value, length, {}),
          .interval = analysis::Interval{speedup(tokens.low(), length, kDearRounds),
                                         speedup(tokens.high(), length, kCheapRounds)}};
}

analysis::Estimate LengthModel::tokens(int length) const {
  const analysis::Estimate& rate = acceptance_.rate;
  analysis::Estimate tokens{.value = sim::tokens_per_round(rate.value, length)};
  if (rate.interval)
    tokens.interval = {sim::tokens_per_round(rate.low(), length),
                       sim::tokens_per_round(rate.high(), length)};
  return tokens;
}

PredictedLength LengthModel::at(int length) const {
  const double rate = acceptance_.rate.value;
  PredictedLength result{
      .speculation_length = length, .tokens_per_round = tokens(length), .predicted_speedup = {}};
  result.predicted_speedup = speedup_with_interval(result.tokens_per_round, length);
  if (!has_interval()) result.predicted_speedup.interval.reset();
  if (length > 0) result.accepted_fraction = sim::accepted_fraction(rate, length);
  result.operations_factor = sim::operations_factor(rate, length, memory_.draft_operations_ratio);
  result.target_reads_per_token = sim::target_reads_per_token(rate, length);
  if (memory_.bytes) result.bytes_per_token = sim::bytes_per_token(rate, length, *memory_.bytes);
  add_trace(result);
  return result;
}

/// No interval of the speed-up where the trace bears none of the tokens: that of the costs alone
/// would be too narrow.
void LengthModel::add_trace(PredictedLength& at) const {
  const auto length = static_cast<std::size_t>(at.speculation_length);
  if (length >= acceptance_.tokens_by_position.size()) return;
  at.trace_tokens_per_round = acceptance_.tokens_by_position[length];
  at.trace_predicted_speedup =
      speedup_with_interval(*at.trace_tokens_per_round, at.speculation_length);
  if (!at.trace_tokens_per_round->interval) at.trace_predicted_speedup->interval.reset();
}

int LengthModel::best_length(double rate, const CostCorner& corner) const {
  if (costs_.is_textbook)
    return sim::optimal_speculation_length(rate, costs_.at(1, corner).cost_ratio, searched_);
  int best = 0;
  double most = 1.0, tokens = 1.0, survival = 1.0;
  for (int length = 1; length <= searched_; ++length) {
    tokens += survival *= rate;
    const double here = sim::predicted_speedup_of_tokens(tokens, length, costs_.at(length, corner));
    if (here > most * kTie) best = length, most = here;
  }
  return best;
}

Optimum LengthModel::optimum() const {
  const int best = best_length(acceptance_.rate.value, {});
  Optimum optimum{.at = at(best), .is_at_longest = best == searched_};
  if (!has_interval()) return optimum;
  std::set<int> lengths{best};
  for (const double rate : {acceptance_.rate.low(), acceptance_.rate.high()})
    if (costs_.is_measured)
      lengths.merge(allowed_lengths(rate));
    else
      for (const CostCorner& corner : corners()) lengths.insert(best_length(rate, corner));
  optimum.lowest = *lengths.begin();
  optimum.highest = *lengths.rbegin();
  optimum.is_highest_at_longest = optimum.highest == searched_;
  return optimum;
}

std::set<int> LengthModel::allowed_lengths(double rate) const {
  std::set<int> lengths;
  for (const End plain : kEnds) {
    const auto speedup_at = [&](int length, CostCorner corner) {
      corner.plain = plain;
      return speedup(sim::tokens_per_round(rate, length), length, corner);
    };
    double surest = 1.0;  // what some length gives whatever its costs are
    for (int length = 1; length <= searched_; ++length)
      surest = std::max(surest, speedup_at(length, kDearRounds));
    for (int length = 0; length <= searched_; ++length)
      if (speedup_at(length, kCheapRounds) >= surest) lengths.insert(length);
  }
  return lengths;
}

std::optional<PredictedLength> LengthModel::trace_optimum() const {
  std::optional<PredictedLength> best;
  for (int length = 0; length <= searched_ &&
                       static_cast<std::size_t>(length) < acceptance_.tokens_by_position.size();
       ++length)
    if (const PredictedLength here = at(length);
        !best || here.trace_predicted_speedup->value > best->trace_predicted_speedup->value)
      best = here;
  return best;
}

}  // namespace speclab::experiments
