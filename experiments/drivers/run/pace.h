#pragma once
// How fast the machine is while generations are measured, against when the cost surface was.

#include <map>
#include <optional>
#include <string>

#include "experiments/drivers/run/forward_costs.h"
#include "experiments/drivers/run/run_log.h"

namespace speclab::experiments {

struct PlannedGeneration;

/// Times the target's bare forwards between generations: once for every prompt and temperature, contexts in turn.
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

/// Bare forwards between generations / the same forwards in the cost surface, a ratio of totals: the walltimes it is held
/// against are means. Nothing where none was taken.
std::optional<double> pace_ratio(const RunLog& log, const std::string& model);

}  // namespace speclab::experiments
