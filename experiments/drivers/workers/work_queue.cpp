#include "experiments/drivers/workers/work_queue.h"

#include "experiments/drivers/journal/failures.h"

namespace speclab::experiments {

WorkQueue::WorkQueue(const Plan& plan, const std::vector<std::size_t>& rows, const RunLog& log) {
  for (const std::vector<std::size_t>& block : blocks_of(plan, rows)) {
    blocks_.emplace_back();
    for (const std::size_t row : block) blocks_.back().push_back({row, attempts_of(log, row)});
  }
}

std::optional<Assignment> WorkQueue::next(int shard) {
  std::deque<Assignment>& own = begun_[shard];
  if (own.empty() && !blocks_.empty()) {
    own = std::move(blocks_.front());
    blocks_.pop_front();
  }
  if (own.empty()) return std::nullopt;
  const Assignment assignment = own.front();
  own.pop_front();
  return assignment;
}

bool WorkQueue::has_work_for(int shard) const {
  const auto own = begun_.find(shard);
  return !blocks_.empty() || (own != begun_.end() && !own->second.empty());
}

}  // namespace speclab::experiments
