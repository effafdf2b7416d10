#include <algorithm>

#include "engines/models/row_plan.h"
#include "sim/system/errors.h"

namespace speclab::engines {

void RowPlan::mark_taken(State& s) {
  s.taken.clear();
  if (s.branches.empty()) return;
  s.taken.assign(static_cast<std::size_t>(capacity_), false);
  for (const Path& path : s.branches)
    for (const std::int32_t slot : path) {
      s.taken[static_cast<std::size_t>(slot)] = true;
      s.end = std::max(s.end, slot + 1);
    }
}

RowPlan::Path RowPlan::path_of(const State& s, std::int32_t row) const {
  const PlacedRow& placed = rows_[static_cast<std::size_t>(row)];
  Path path;
  for (std::int32_t slot = s.length; slot < placed.prefix; ++slot) path.push_back(slot);
  const std::span<const std::int32_t> rest = extra(placed);
  path.insert(path.end(), rest.begin(), rest.end());
  return path;
}

std::span<const RowPlan::Move> RowPlan::keep(std::int32_t sequence,
                                             std::span<const std::int32_t> rows) {
  State& s = state(sequence);
  std::vector<Path> branches;
  for (const std::int32_t row : rows) {
    SPECLAB_EXPECT(row >= 0 && static_cast<std::size_t>(row) < rows_.size() &&
                       rows_[static_cast<std::size_t>(row)].sequence == sequence && s.placed > 0 &&
                       placed_all_,
                   "only rows of the last forward can be kept, once");
    branches.push_back(path_of(s, row));
  }
  s.branches = std::move(branches);
  s.placed = 0;
  moves_.clear();
  commit_shared(s);
  return moves_;
}

/// The shared slot moves to the committed end; what stands there moves to a gap before.
void RowPlan::commit_shared(State& s) {
  mark_taken(s);
  const auto share_first = [&s] {
    return !s.branches.empty() && !s.branches.front().empty() &&
           std::ranges::all_of(s.branches, [&s](const Path& path) {
             return !path.empty() && path.front() == s.branches.front().front();
           });
  };
  const auto move = [&](std::int32_t from, std::int32_t to) {
    moves_.push_back({from, to});
    for (Path& path : s.branches) std::ranges::replace(path, from, to);
    s.taken[static_cast<std::size_t>(from)] = false;
    s.taken[static_cast<std::size_t>(to)] = true;
  };
  while (share_first()) {
    const std::int32_t shared = s.branches.front().front();
    if (shared != s.length) {
      if (s.taken[static_cast<std::size_t>(s.length)]) {
        const auto gap = std::find(s.taken.begin() + s.length, s.taken.end(), false);
        if (gap == s.taken.end()) return;
        move(s.length, static_cast<std::int32_t>(gap - s.taken.begin()));
      }
      move(shared, s.length);
    }
    for (Path& path : s.branches) path.erase(path.begin());
    ++s.length;
  }
}

}  // namespace speclab::engines
