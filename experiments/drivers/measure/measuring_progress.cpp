#include "experiments/drivers/measure/measuring_progress.h"

#include <algorithm>
#include <set>

#include "experiments/drivers/journal/failures.h"

namespace speclab::experiments {

MeasuringProgress::MeasuringProgress(const Plan& plan, const RunLog& log,
                                     const std::vector<std::size_t>& rows, Progress& progress)
    : plan_(plan), log_(log), progress_(progress), left_(plan.cells.size()) {
  std::set<std::size_t> open = open_cells(plan, log);
  double total_ns = 0;
  for (const std::size_t row : rows) {
    total_ns += predicted_ns(row);
    ++left_[plan.generations[row].cell];
    open.insert(plan.generations[row].cell);
  }
  cells_.done = plan.cells.size() - open.size();
  cells_.all = cells_.done + static_cast<std::size_t>(std::ranges::count_if(
                                 left_, [](std::size_t left) { return left > 0; }));
  progress_.begin_phase("measuring", total_ns);
  tell();
}

void MeasuringProgress::ended(std::size_t row, const Measured& measured) {
  cells_.done += --left_[plan_.generations[row].cell] == 0 ? 1 : 0;
  if (measured.tokens > 0) last_.push_back(measured);
  if (last_.size() > kLastGenerations) last_.pop_front();
  tell();
  progress_.advance(predicted_ns(row));
}

void MeasuringProgress::tell() {
  double tokens = 0, ns = 0;
  for (const Measured& generation : last_)
    tokens += static_cast<double>(generation.tokens), ns += static_cast<double>(generation.ns);
  progress_.tell(cells_, ns > 0 ? tokens / ns * 1e9 : 0);
}

}  // namespace speclab::experiments
