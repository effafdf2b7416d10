#pragma once
// How fast the machine is while generations are measured, against when the cost surface was.

#include <map>
#include <string>
#include <vector>

#include "analysis/tables/costs.h"
#include "experiments/drivers/measure/forward_costs.h"

namespace speclab::experiments {

class RunLog;
struct PlannedGeneration;

/// Times the target's bare forwards between generations: once for every prompt and temperature,
/// contexts in turn. Where rounds stay on the device, the cost surface has no bare forwards, and no
/// pace is taken.
class PaceTaker {
 public:
  explicit PaceTaker(Workbench& bench) : bench_(bench) {}
  /// To be called before a generation is measured.
  void before(std::size_t row);

 private:
  Workbench& bench_;
  std::map<std::string, ForwardCosts> forwards_;  ///< by model
  const PlannedGeneration* last_ = nullptr;
  std::size_t turn_ = 0;
};

/// The timings of the log, as pace.csv has them.
std::vector<analysis::PaceRow> pace_rows(const RunLog& log);

}  // namespace speclab::experiments
