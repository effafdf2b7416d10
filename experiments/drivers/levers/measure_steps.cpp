#include "experiments/drivers/levers/measure_steps.h"

#include <algorithm>
#include <array>

#include "analysis/stats/intervals.h"
#include "experiments/drivers/measure/forward_costs.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr int kTimings = 3;

constexpr std::array<int, 5> kRows{1, 2, 4, 8, 16};
constexpr int kRepetitions = 9, kStreamedRepetitions = 5;

/// Samples of one number of rows of one lever.
struct StepSamples {
  std::vector<double> ns, over_bfloat16, over_one_row, over_floor;
};
/// One lever's, in the order of kRows.
using LeverSamples = std::array<StepSamples, kRows.size()>;

double median_of(const std::vector<double>& values) { return analysis::median(values).value; }

/// Bytes that a forward takes from memory, or a streamed one from the file.
double bytes_of(const LoadedLever& lever) {
  const engines::ModelInfo& info = lever.loaded.model->info();
  return static_cast<double>(lever.lever->streams ? info.streamed_bytes : info.weight_bytes);
}

/// One forward of every number of rows, behind one that warms up.
/// @param bfloat16_ns  of one row of the first lever in this repetition, which sets it
void sample_once(ForwardTimer& timer, double floor_ns, double& bfloat16_ns, LeverSamples& samples) {
  timer.forward_ns(kRows.front());
  double one_row_ns = 0;
  for (std::size_t r = 0; r < kRows.size(); ++r) {
    const double ns = timer.forward_ns(kRows[r]);
    if (r == 0) one_row_ns = ns;
    if (bfloat16_ns == 0) bfloat16_ns = ns;
    StepSamples& of_rows = samples[r];
    of_rows.ns.push_back(ns);
    of_rows.over_bfloat16.push_back(ns / bfloat16_ns);
    of_rows.over_one_row.push_back(ns / one_row_ns);
    of_rows.over_floor.push_back(ns / floor_ns);
  }
}

analysis::StepRow row_of(const std::string& model, const Lever& lever, int rows,
                         const StepSamples& samples) {
  return {.model = model,
          .lever = lever.name,
          .rows = rows,
          .repetitions = static_cast<std::int32_t>(samples.ns.size()),
          .milliseconds = median_of(samples.ns) * 1e-6,
          .over_bfloat16 = median_of(samples.over_bfloat16),
          .over_one_row = median_of(samples.over_one_row),
          .over_floor = median_of(samples.over_floor)};
}

}  // namespace

StepCosts::StepCosts(engines::LanguageModel& model, const std::vector<Token>& tokens, int context,
                     const std::vector<int>& rows) {
  SPECLAB_EXPECT(!rows.empty(), "numbers of rows to time");
  ForwardTimer timer(model, context, rows.back(), tokens);
  timer.forward_ns(rows.front());
  std::map<double, std::vector<double>> samples;
  for (int repetition = 0; repetition < kTimings; ++repetition)
    for (const int count : rows) samples[count].push_back(timer.forward_ns(count));
  for (auto& [count, times] : samples) times_[count] = analysis::median(times).value;
}

double StepCosts::at(double rows) const {
  const auto above = times_.lower_bound(rows);
  if (above == times_.begin()) return above->second;
  const auto below = std::prev(above);
  if (above == times_.end()) return below->second;
  const double share = (rows - below->first) / (above->first - below->first);
  return below->second + share * (above->second - below->second);
}

std::vector<analysis::StepRow> measure_steps(engines::Engines& engines, LoadedLevers& levers,
                                             const std::vector<Token>& tokens) {
  std::vector<ForwardTimer> timers;
  for (LoadedLever& each : levers.each)
    timers.emplace_back(*each.loaded.model, static_cast<int>(tokens.size()), kRows.back(), tokens);
  std::vector<LeverSamples> samples(timers.size());
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    double bfloat16_ns = 0;
    for (std::size_t i = 0; i < timers.size(); ++i) {
      const LoadedLever& each = levers.each[i];
      if (each.lever->streams && repetition >= kStreamedRepetitions) continue;
      const double floor_ns = bytes_of(each) / source_rate(engines, *each.lever, levers.path) * 1e9;
      sample_once(timers[i], floor_ns, bfloat16_ns, samples[i]);
    }
  }
  std::vector<analysis::StepRow> rows;
  for (std::size_t i = 0; i < samples.size(); ++i)
    for (std::size_t r = 0; r < kRows.size(); ++r)
      rows.push_back(row_of(levers.model, *levers.each[i].lever, kRows[r], samples[i][r]));
  return rows;
}

}  // namespace speclab::experiments
