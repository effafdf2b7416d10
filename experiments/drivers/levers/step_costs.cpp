#include "experiments/drivers/levers/step_costs.h"

#include <algorithm>

#include "analysis/stats/median.h"
#include "experiments/drivers/measure/forward_timer.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr int kTimings = 3;

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

}  // namespace speclab::experiments
