#include "analysis/gate/time_gate.h"

#include <algorithm>
#include <cmath>

#include "analysis/stats/significance.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

/// Standard deviation of a normal law with the same median absolute deviation.
double robust_deviation(std::vector<double> values, double median) {
  for (double& value : values) value = std::abs(value - median);
  return 1.4826 * middle(std::move(values));
}

std::vector<double> log_ratios(std::span<const TimePair> pairs) {
  std::vector<double> ratios;
  for (const TimePair& pair : pairs) {
    SPECLAB_EXPECT(pair.base_ns > 0.0 && pair.head_ns > 0.0, "a time is not positive");
    ratios.push_back(std::log(pair.head_ns / pair.base_ns));
  }
  return ratios;
}

/// Everything but the adjustment and the verdict; the p-values are those of the one benchmark.
PairGateRow summary(const std::string& name, std::span<const TimePair> pairs,
                    const PairGateOptions& options) {
  const std::vector<double> ratios = log_ratios(pairs);
  const double median = middle(ratios), n = static_cast<double>(pairs.size());
  PairGateRow row{
      .benchmark = name, .pairs = static_cast<int>(pairs.size()), .ratio = std::exp(median)};
  row.slower =
      static_cast<int>(std::ranges::count_if(ratios, [](double ratio) { return ratio > 0.0; }));
  row.faster =
      static_cast<int>(std::ranges::count_if(ratios, [](double ratio) { return ratio < 0.0; }));
  row.floor_ratio = std::max(options.least_ratio,
                             std::exp(3.0 * robust_deviation(ratios, median) / std::sqrt(n)));
  row.p_slower = sign_test_p(row.slower, row.pairs);
  row.p_faster = sign_test_p(row.faster, row.pairs);
  return row;
}

GateVerdict verdict_of(const PairGateRow& row, double alpha) {
  if (row.ratio > row.floor_ratio)
    return row.p_slower <= alpha ? GateVerdict::slow : GateVerdict::ambiguous;
  return row.ratio < 1.0 / row.floor_ratio && row.p_faster <= alpha ? GateVerdict::fast
                                                                    : GateVerdict::same;
}

void adjust(std::vector<PairGateRow>& rows, double PairGateRow::* p) {
  std::vector<double> values;
  for (const PairGateRow& row : rows) values.push_back(row.*p);
  const std::vector<double> adjusted = holm_adjusted(values);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].*p = adjusted[i];
}

void adjust_and_judge(std::vector<PairGateRow>& rows, double alpha) {
  adjust(rows, &PairGateRow::p_slower);
  adjust(rows, &PairGateRow::p_faster);
  for (PairGateRow& row : rows) row.verdict = verdict_of(row, alpha);
}

bool is_extended(const TimedBenchmark& benchmark, const PairGateOptions& options) {
  return benchmark.pairs.size() >= 2 * static_cast<std::size_t>(options.pairs);
}

/// The second look counts the whole suite: those that were not extended stay in the family with a
/// p-value of 1.
std::vector<PairGateRow> second_look(std::span<const TimedBenchmark> benchmarks,
                                     const std::vector<PairGateRow>& first,
                                     const PairGateOptions& options) {
  std::vector<PairGateRow> rows = first;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].p_slower = rows[i].p_faster = 1.0;
    if (first[i].verdict == GateVerdict::ambiguous && is_extended(benchmarks[i], options))
      rows[i] = summary(benchmarks[i].name, benchmarks[i].pairs, options);
  }
  adjust_and_judge(rows, options.alpha * (1.0 - options.first_look));
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].pairs == first[i].pairs) rows[i] = first[i];
  return rows;
}

void check_sizes(std::span<const TimedBenchmark> benchmarks, const PairGateOptions& options) {
  const int least = least_pairs(benchmarks.size(), options);
  if (options.pairs < least)
    throw DataError(std::to_string(options.pairs) + " pairs cannot show anything among " +
                    std::to_string(benchmarks.size()) + " benchmarks; allowed: at least " +
                    std::to_string(least));
  for (const TimedBenchmark& benchmark : benchmarks)
    if (benchmark.pairs.size() < static_cast<std::size_t>(options.pairs))
      throw DataError("benchmark '" + escaped(benchmark.name) + "' has " +
                      std::to_string(benchmark.pairs.size()) + " pairs; allowed: at least " +
                      std::to_string(options.pairs));
}

}  // namespace

int least_pairs(std::size_t num_benchmarks, const PairGateOptions& options) {
  const double level = options.alpha * options.first_look /
                       static_cast<double>(std::max<std::size_t>(1, num_benchmarks));
  int pairs = 1;
  while (sign_test_p(pairs, pairs) > level) ++pairs;
  return pairs;
}

std::vector<PairGateRow> judge_pairs(std::span<const TimedBenchmark> benchmarks,
                                     const PairGateOptions& options) {
  check_sizes(benchmarks, options);
  std::vector<PairGateRow> first;
  for (const TimedBenchmark& benchmark : benchmarks)
    first.push_back(summary(
        benchmark.name, std::span(benchmark.pairs).first(static_cast<std::size_t>(options.pairs)),
        options));
  adjust_and_judge(first, options.alpha * options.first_look);
  return second_look(benchmarks, first, options);
}

}  // namespace speclab::analysis
