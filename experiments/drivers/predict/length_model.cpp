#include "experiments/drivers/predict/length_model.h"

#include <algorithm>
#include <limits>
#include <span>

#include "sim/analytic/speedup.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

constexpr AllowedNumbers kRatio{0.0, 1e6, "numbers from 0 to 1e6"};
constexpr AllowedNumbers kTargetBytes{1.0, 1e18, "numbers from 1 to 1e18"};
constexpr AllowedNumbers kDraftBytes{0.0, 1e18, "numbers from 0 to 1e18"};

constexpr End kEnds[] = {End::low, End::high};

/// Every way to take an end of each cost's interval: the extremes over the intervals are among them.
std::vector<CostCorner> corners() {
  std::vector<CostCorner> all;
  for (const End draft : kEnds)
    for (const End verify : kEnds)
      for (const End overhead : kEnds) all.push_back({draft, verify, overhead});
  return all;
}

}  // namespace

MemoryOptions memory_options(const PredictOptions& options) {
  MemoryOptions memory{.draft_operations_ratio = parse_number("--draft-operations-ratio", options.draft_operations_ratio, kRatio)};
  if (options.target_bytes.has_value() != options.draft_bytes.has_value())
    throw ConfigError("--target-bytes and --draft-bytes belong together: what one forward of each reads; give both");
  if (options.target_bytes)
    memory.bytes = {parse_number("--target-bytes", *options.target_bytes, kTargetBytes),
                    parse_number("--draft-bytes", *options.draft_bytes, kDraftBytes)};
  return memory;
}

double LengthModel::speedup(double acceptance_rate, int speculation_length, const CostCorner& corner) const {
  return speculation_length == 0 ? 1.0 : sim::predicted_speedup(acceptance_rate, speculation_length, costs_.at(speculation_length, corner));
}

PredictedLength LengthModel::at(int length) const {
  const IntervalValue& rate = acceptance_.rate;
  PredictedLength result{.speculation_length = length,
                         .tokens_per_round = {.value = sim::tokens_per_round(rate.value, length)},
                         .predicted_speedup = {.value = speedup(rate.value, length, {})}};
  if (rate.interval) result.tokens_per_round.interval = {sim::tokens_per_round(rate.low(), length), sim::tokens_per_round(rate.high(), length)};
  if (has_interval()) result.predicted_speedup.interval = speedup_interval(length);
  if (length > 0) result.accepted_fraction = sim::accepted_fraction(rate.value, length);
  result.operations_factor = sim::operations_factor(rate.value, length, memory_.draft_operations_ratio);
  result.target_reads_per_token = sim::target_reads_per_token(rate.value, length);
  if (memory_.bytes) result.bytes_per_token = sim::bytes_per_token(rate.value, length, *memory_.bytes);
  result.trace_tokens_per_round = trace_tokens(length);
  if (result.trace_tokens_per_round)
    result.trace_predicted_speedup =
        length == 0 ? 1.0 : *result.trace_tokens_per_round / result.tokens_per_round.value * result.predicted_speedup.value;
  return result;
}

analysis::Interval LengthModel::speedup_interval(int length) const {
  analysis::Interval interval{.low = std::numeric_limits<double>::infinity(), .high = 0.0};
  for (const CostCorner& corner : corners()) {  // speed-up grows with acceptance
    interval.low = std::min(interval.low, speedup(acceptance_.rate.low(), length, corner));
    interval.high = std::max(interval.high, speedup(acceptance_.rate.high(), length, corner));
  }
  return interval;
}

std::optional<double> LengthModel::trace_tokens(int length) const {
  const auto& rates = acceptance_.conditional_acceptance;
  if (rates.empty() || static_cast<std::size_t>(length) > rates.size()) return std::nullopt;
  return sim::tokens_per_round_from_conditional(std::span(rates).first(static_cast<std::size_t>(length)));
}

int LengthModel::best_length(double rate, const CostCorner& corner) const {
  if (costs_.is_textbook) return sim::optimal_speculation_length(rate, costs_.at(1, corner).cost_ratio, searched_);
  int best = 0;
  double most = 1.0, tokens = 1.0, survival = 1.0;
  for (int length = 1; length <= searched_; ++length) {
    tokens += survival *= rate;
    if (const double here = sim::predicted_speedup_of_tokens(tokens, length, costs_.at(length, corner)); here > most) best = length, most = here;
  }
  return best;
}

Optimum LengthModel::optimum() const {
  const int best = best_length(acceptance_.rate.value, {});
  Optimum optimum{.at = at(best), .is_at_longest = best == searched_};
  if (!has_interval()) return optimum;
  optimum.lowest = optimum.highest = best;
  for (const double rate : {acceptance_.rate.low(), acceptance_.rate.high()})
    for (const CostCorner& corner : corners()) {
      const int length = best_length(rate, corner);
      optimum.lowest = std::min(*optimum.lowest, length);
      optimum.highest = std::max(*optimum.highest, length);
    }
  return optimum;
}

std::optional<PredictedLength> LengthModel::trace_optimum() const {
  std::optional<PredictedLength> best;
  for (int length = 0; length <= searched_ && trace_tokens(length); ++length)
    if (const PredictedLength here = at(length); !best || *here.trace_predicted_speedup > *best->trace_predicted_speedup) best = here;
  return best;
}

}  // namespace speclab::experiments
