#include "experiments/drivers/levers/measure_steps.h"

#include <array>

#include "analysis/stats/median.h"
#include "experiments/drivers/levers/disk_rate.h"
#include "experiments/drivers/run/forward_timer.h"

namespace speclab::experiments {
namespace {

constexpr std::array<int, 5> kRows{1, 2, 4, 8, 16};
constexpr std::int64_t kProbedBytes = std::int64_t{256} << 20;
constexpr int kRepetitions = 9, kStreamedRepetitions = 5;

/// Samples of one number of rows of one lever.
struct StepSamples {
  std::vector<double> ns, over_bfloat16, over_one_row, over_floor;
};

double median_of(const std::vector<double>& values) { return analysis::median(values).value; }

}  // namespace

double source_rate(engines::Engines& engines, const Lever& lever, const std::string& path) {
  return lever.streams ? direct_read_rate(path, kProbedBytes)
                       : engines.measure_read_bandwidth(kProbedBytes, 3);
}

std::vector<StepRow> measure_steps(engines::Engines& engines, const std::string& model,
                                   const std::string& path, std::vector<LoadedLever>& levers,
                                   const std::vector<Token>& tokens) {
  std::vector<ForwardTimer> timers;
  for (LoadedLever& each : levers)
    timers.emplace_back(*each.loaded.model, static_cast<int>(tokens.size()), kRows.back(), tokens);
  std::vector<std::array<StepSamples, kRows.size()>> samples(levers.size());
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    double bfloat16_ns = 0;
    for (std::size_t i = 0; i < levers.size(); ++i) {
      const Lever& lever = *levers[i].lever;
      if (lever.streams && repetition >= kStreamedRepetitions) continue;
      const engines::ModelInfo& info = levers[i].loaded.model->info();
      const double bytes =
          static_cast<double>(lever.streams ? info.streamed_bytes : info.weight_bytes);
      const double floor_ns = bytes / source_rate(engines, lever, path) * 1e9;
      timers[i].forward_ns(1);
      double one_ns = 0;
      for (std::size_t r = 0; r < kRows.size(); ++r) {
        const double ns = timers[i].forward_ns(kRows[r]);
        if (r == 0) one_ns = ns;
        if (r == 0 && i == 0) bfloat16_ns = ns;
        StepSamples& of_rows = samples[i][r];
        of_rows.ns.push_back(ns);
        of_rows.over_bfloat16.push_back(ns / bfloat16_ns);
        of_rows.over_one_row.push_back(ns / one_ns);
        of_rows.over_floor.push_back(ns / floor_ns);
      }
    }
  }
  std::vector<StepRow> rows;
  for (std::size_t i = 0; i < levers.size(); ++i)
    for (std::size_t r = 0; r < kRows.size(); ++r) {
      const StepSamples& of_rows = samples[i][r];
      rows.push_back({.model = model,
                      .lever = levers[i].lever->name,
                      .rows = kRows[r],
                      .repetitions = static_cast<std::int32_t>(of_rows.ns.size()),
                      .milliseconds = median_of(of_rows.ns) * 1e-6,
                      .over_bfloat16 = median_of(of_rows.over_bfloat16),
                      .over_one_row = median_of(of_rows.over_one_row),
                      .over_floor = median_of(of_rows.over_floor)});
    }
  return rows;
}

}  // namespace speclab::experiments
