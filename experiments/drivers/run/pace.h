#pragma once
// How fast the machine is while generations are measured, against when the cost surface was.

#include <map>
#include <string>
#include <vector>

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

/// The log's costs as they were while generations were measured: a forward of the target costs the mean of its timings
/// between generations (walltimes, which are compared with it, are means); reading a prompt, which is arithmetic, changes as
/// the forward of most rows does; drafts and overheads stay. Empty where no pace was taken.
/// @throws DataError if a forward was timed that the cost surface lacks
std::vector<CostEntry> paced_costs(const RunLog& log);

}  // namespace speclab::experiments
