#pragma once
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "experiments/drivers/plan/plan.h"
#include "experiments/drivers/workers/shard.h"

namespace speclab::experiments {

/// Generations that are left, handed out one by one. A shard gets those of a block, which are
/// compared with each other, before those of the next, whichever of its processes asks.
class WorkQueue {
 public:
  /// @param rows  in the order of measuring @param log  knows how often each was tried
  WorkQueue(const Plan& plan, const std::vector<std::size_t>& rows, const RunLog& log);
  std::optional<Assignment> next(int shard);
  /// The next of the shard, which was not begun.
  void give_back(int shard, const Assignment& assignment) { begun_[shard].push_front(assignment); }
  /// Whether next() has something.
  bool has_work_for(int shard) const;

 private:
  std::deque<std::deque<Assignment>> blocks_;
  std::map<int, std::deque<Assignment>> begun_;  ///< by shard
};

}  // namespace speclab::experiments
