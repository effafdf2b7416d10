#include "engines/models/row_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

void check_row(const ForwardRow& row, const RowLimits& limits) {
  SPECLAB_EXPECT(
      row.token >= 0 && row.token < limits.vocab_size,
      fmt::format("token {} outside the vocabulary of {}", row.token, limits.vocab_size));
  SPECLAB_EXPECT(
      row.position >= 0 && row.position < limits.context_length,
      fmt::format("position {} outside the context of {}", row.position, limits.context_length));
  SPECLAB_EXPECT((row.feature != nullptr) == limits.have_features,
                 "rows bring features to feature transformers, and only to those");
}

}  // namespace

RowPlan::RowPlan(std::int32_t max_sequences, std::int32_t capacity)
    : capacity_(capacity), states_(static_cast<std::size_t>(max_sequences)) {
  SPECLAB_EXPECT(max_sequences > 0 && capacity > 0,
                 "a cache holds at least one sequence of one token");
}

RowPlan::State& RowPlan::state(std::int32_t sequence) {
  return const_cast<State&>(std::as_const(*this).state(sequence));
}

const RowPlan::State& RowPlan::state(std::int32_t sequence) const {
  SPECLAB_EXPECT(sequence >= 0 && static_cast<std::size_t>(sequence) < states_.size() &&
                     states_[static_cast<std::size_t>(sequence)].in_use,
                 fmt::format("cache slot {} is not in use", sequence));
  return states_[static_cast<std::size_t>(sequence)];
}

std::int32_t RowPlan::begin() {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].in_use) continue;
    states_[i] = State{.in_use = true};
    return static_cast<std::int32_t>(i);
  }
  throw ContractError(fmt::format("all {} sequences of the cache are in use", states_.size()));
}

void RowPlan::release(std::int32_t sequence) { state(sequence) = State{}; }

void RowPlan::set_length(std::int32_t sequence, std::int32_t length) {
  SPECLAB_EXPECT(length >= 0 && length <= capacity_, "length outside the cache");
  state(sequence) = State{.in_use = true, .length = length, .end = length};
}

void RowPlan::truncate(std::int32_t sequence, std::int32_t length) {
  SPECLAB_EXPECT(length <= state(sequence).length, "truncation cannot lengthen a sequence");
  set_length(sequence, length);
}

std::int32_t RowPlan::length(std::int32_t sequence) const { return state(sequence).length; }

std::int32_t RowPlan::slots_in_use(std::int32_t sequence) const { return state(sequence).end; }

void RowPlan::place(std::span<const ForwardRow> rows, const RowLimits& limits) {
  placed_all_ = false;
  for (State& s : states_) {
    s.placed = 0;
    s.end = s.length;
    mark_taken(s);
  }
  rows_.clear();
  extra_.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    check_row(rows[i], limits);
    rows_.push_back(place_row(rows, i));
  }
  placed_all_ = true;
}

/// Rows fill the gaps that forgotten branches have left.
std::int32_t RowPlan::free_slot(State& s) {
  std::int32_t slot = s.length;
  if (s.taken.empty()) {
    slot += s.placed;
  } else {
    while (slot < capacity_ && s.taken[static_cast<std::size_t>(slot)]) ++slot;
    if (slot < capacity_) s.taken[static_cast<std::size_t>(slot)] = true;
  }
  SPECLAB_EXPECT(slot < capacity_, fmt::format("the cache holds {} tokens a sequence", capacity_));
  ++s.placed;
  s.end = std::max(s.end, slot + 1);
  return slot;
}

PlacedRow RowPlan::behind_parent(std::span<const ForwardRow> rows, std::size_t index) {
  const ForwardRow& row = rows[index];
  const State& s = state(row.sequence);
  PlacedRow placed{.sequence = row.sequence,
                   .parent = row.parent,
                   .prefix = s.length,
                   .extra_begin = static_cast<std::int32_t>(extra_.size())};
  std::int32_t position = s.length;
  if (row.parent < ForwardRow::kCommitted) {
    const auto branch = static_cast<std::size_t>(ForwardRow::branch(row.parent));
    SPECLAB_EXPECT(branch < s.branches.size(), "a row continues a branch that is not there");
    const Path& path = s.branches[branch];
    extra_.insert(extra_.end(), path.begin(), path.end());
    position += static_cast<std::int32_t>(path.size());
  } else if (row.parent != ForwardRow::kCommitted) {
    SPECLAB_EXPECT(static_cast<std::size_t>(row.parent) < index, "a parent is an earlier row");
    const PlacedRow& parent = rows_[static_cast<std::size_t>(row.parent)];
    SPECLAB_EXPECT(parent.sequence == row.sequence, "a row follows its parent in the sequence");
    placed.prefix = parent.prefix;
    for (std::int32_t i = 0; i < parent.extra_count; ++i)
      extra_.push_back(extra_[static_cast<std::size_t>(parent.extra_begin + i)]);
    position = rows[static_cast<std::size_t>(row.parent)].position + 1;
  }
  SPECLAB_EXPECT(row.position == position, "a row follows its parent's position");
  placed.extra_count = static_cast<std::int32_t>(extra_.size()) - placed.extra_begin;
  return placed;
}

PlacedRow RowPlan::place_row(std::span<const ForwardRow> rows, std::size_t index) {
  PlacedRow placed = behind_parent(rows, index);
  placed.slot = free_slot(state(placed.sequence));
  if (placed.extra_count == 0 && placed.prefix == placed.slot)
    ++placed.prefix;
  else
    extra_.push_back(placed.slot), ++placed.extra_count;
  return placed;
}

std::span<const std::int32_t> RowPlan::commit(std::int32_t sequence,
                                              std::span<const std::int32_t> rows) {
  State& s = state(sequence);
  SPECLAB_EXPECT(s.branches.empty(), "a sequence with branches keeps rows and commits none");
  committed_slots_.clear();
  std::int32_t parent = ForwardRow::kCommitted;
  for (const std::int32_t row : rows) {
    SPECLAB_EXPECT(row >= 0 && static_cast<std::size_t>(row) < rows_.size() &&
                       rows_[static_cast<std::size_t>(row)].sequence == sequence &&
                       rows_[static_cast<std::size_t>(row)].parent == parent && s.placed > 0 &&
                       placed_all_,
                   "only a path of the last forward's rows can be committed, once");
    committed_slots_.push_back(rows_[static_cast<std::size_t>(row)].slot);
    parent = row;
  }
  s.length += static_cast<std::int32_t>(rows.size());
  s.placed = 0;
  s.end = s.length;
  return committed_slots_;
}

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
