#include "engines/models/row_plan.h"

#include <fmt/format.h>

#include <utility>

#include "sim/core/errors.h"

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
    states_[i] = State{true, 0, 0};
    return static_cast<std::int32_t>(i);
  }
  throw ContractError(fmt::format("all {} sequences of the cache are in use", states_.size()));
}

void RowPlan::release(std::int32_t sequence) { state(sequence) = State{}; }

void RowPlan::set_length(std::int32_t sequence, std::int32_t length) {
  SPECLAB_EXPECT(length >= 0 && length <= capacity_, "length outside the cache");
  state(sequence).length = length;
  state(sequence).placed = 0;
}

void RowPlan::truncate(std::int32_t sequence, std::int32_t length) {
  SPECLAB_EXPECT(length <= state(sequence).length, "truncation cannot lengthen a sequence");
  set_length(sequence, length);
}

std::int32_t RowPlan::length(std::int32_t sequence) const { return state(sequence).length; }

std::int32_t RowPlan::slots_in_use(std::int32_t sequence) const {
  return state(sequence).length + state(sequence).placed;
}

void RowPlan::place(std::span<const ForwardRow> rows, const RowLimits& limits) {
  placed_all_ = false;
  for (State& s : states_) s.placed = 0;
  rows_.clear();
  extra_.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    check_row(rows[i], limits);
    rows_.push_back(place_row(rows, i));
  }
  placed_all_ = true;
}

PlacedRow RowPlan::place_row(std::span<const ForwardRow> rows, std::size_t index) {
  const ForwardRow& row = rows[index];
  State& s = state(row.sequence);
  PlacedRow placed{row.sequence,
                   s.length + s.placed++,
                   row.parent,
                   0,
                   static_cast<std::int32_t>(extra_.size()),
                   0};
  SPECLAB_EXPECT(placed.slot < capacity_,
                 fmt::format("the cache holds {} tokens a sequence", capacity_));
  if (row.parent == ForwardRow::kCommitted) {
    SPECLAB_EXPECT(row.position == s.length,
                   "a row that continues the cache has the cache's length as its position");
    placed.prefix = s.length;
  } else {
    SPECLAB_EXPECT(row.parent >= 0 && static_cast<std::size_t>(row.parent) < index,
                   "a parent is an earlier row");
    const PlacedRow parent = rows_[static_cast<std::size_t>(row.parent)];
    SPECLAB_EXPECT(parent.sequence == row.sequence &&
                       row.position == rows[static_cast<std::size_t>(row.parent)].position + 1,
                   "a row follows its parent's position in the same sequence");
    placed.prefix = parent.prefix;
    for (std::int32_t i = 0; i < parent.extra_count; ++i)
      extra_.push_back(extra_[static_cast<std::size_t>(parent.extra_begin + i)]);
    placed.extra_count = parent.extra_count;
  }
  if (placed.extra_count == 0 && placed.prefix == placed.slot)
    ++placed.prefix;
  else
    extra_.push_back(placed.slot), ++placed.extra_count;
  return placed;
}

std::span<const std::int32_t> RowPlan::commit(std::int32_t sequence,
                                              std::span<const std::int32_t> rows) {
  State& s = state(sequence);
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
  return committed_slots_;
}

}  // namespace speclab::engines
