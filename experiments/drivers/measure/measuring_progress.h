#pragma once
// How far the measuring of generations is, for whoever waits.

#include <deque>
#include <vector>

#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/measure/measurement.h"
#include "experiments/drivers/plan/plan.h"
#include "experiments/drivers/program/progress.h"

namespace speclab::experiments {

/// The phase "measuring": its work is predicted time, its speed that of the last generations.
class MeasuringProgress {
 public:
  static constexpr std::size_t kLastGenerations = 8;  ///< that the speed is of

  /// Begins the phase. @param rows  that are left, of a log with predictions
  MeasuringProgress(const Plan& plan, const RunLog& log, const std::vector<std::size_t>& rows,
                    Progress& progress);
  /// A row has ended, well or not.
  void ended(std::size_t row, const Measured& measured);

 private:
  double predicted_ns(std::size_t row) const {
    return log_.predictions().at(plan_.generations[row].cell).walltime_ns;
  }
  void tell();

  const Plan& plan_;
  const RunLog& log_;
  Progress& progress_;
  std::vector<std::size_t> left_;  ///< generations, by cell
  CellCount cells_{};
  std::deque<Measured> last_;
};

}  // namespace speclab::experiments
