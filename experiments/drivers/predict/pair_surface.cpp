#include "experiments/drivers/predict/pair_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

using analysis::CostRow;

/// The costs at one end of their intervals.
std::vector<CostRow> at_end(std::vector<CostRow> costs, End end) {
  for (CostRow& row : costs)
    if (row.ns.interval && end != End::value)
      row.ns.value = end == End::low ? row.ns.interval->low : row.ns.interval->high;
  return costs;
}

/// Rows of one kind that belong to a pair, under its setting. A file may leave out the regime.
/// @throws DataError for rows or contexts beyond those of any machine
std::vector<CostRow> rows_of(const std::string& path, const std::vector<CostRow>& costs,
                             const CostPair& pair, sim::CostKind kind) {
  constexpr std::int64_t kMost = 1 << 20;
  std::vector<CostRow> rows;
  for (const CostRow& row : costs) {
    const auto its = pair_of(row);
    if (row.kind != kind || !its || its->setting != pair.setting ||
        (row.regime && row.regime != pair.regime))
      continue;
    if (row.rows > kMost || row.context > kMost)
      throw DataError(fmt::format("{}: {} rows at context {}; allowed: at most {} of either", path,
                                  row.rows, row.context, kMost));
    rows.push_back(row);
    rows.back().setting = pair.setting;
    rows.back().regime = kind == sim::CostKind::target
                             ? std::nullopt
                             : std::optional(pair.regime.value_or(Regime::greedy));
  }
  return rows;
}

/// @throws DataError where a point was measured twice: which of the two costs would be taken?
void check_distinct(const std::string& path, const std::vector<CostRow>& rows) {
  std::set<std::pair<std::int64_t, std::int64_t>> points;
  for (const CostRow& row : rows)
    if (!points.emplace(row.rows, row.context).second)
      throw DataError(fmt::format("{}: two costs of kind {} for {} rows at context {}; leave one",
                                  path, to_string(row.kind), row.rows, row.context));
}

/// One row, and every other number of rows, must have been timed at every context. @throws
/// DataError naming the hole
void check_grid(const std::string& path, const std::vector<CostRow>& target) {
  std::set<std::int64_t> rows{1}, contexts;
  std::set<std::pair<std::int64_t, std::int64_t>> points;
  for (const CostRow& row : target)
    rows.insert(row.rows), contexts.insert(row.context), points.emplace(row.rows, row.context);
  for (const std::int64_t row : rows)
    for (const std::int64_t context : contexts)
      if (!points.contains({row, context}))
        throw DataError(
            fmt::format("{}: no target forward of {} row{} at context {}: a hole in the grid of "
                        "rows and contexts; measure that point, or leave out "
                        "its row or its context",
                        path, row, row == 1 ? "" : "s", context));
}

}  // namespace

std::string CostPair::text() const {
  std::string all =
      fmt::format("{} with {}", escaped(setting.loaded_model(), 60), escaped(setting.drafter, 60));
  if (!setting.verifier.empty()) all += ", " + escaped(setting.verifier, 60);
  return regime ? all + ", " + to_string(*regime) : all;
}

std::optional<CostPair> pair_of(const CostRow& row) {
  CostPair pair{row.setting, row.regime};
  if (pair.setting.tree == "chain") pair.setting.tree = "";
  return pair.setting.tree.empty() ? std::optional(pair) : std::nullopt;
}

PairSurface::PairSurface(const std::string& path, const std::vector<CostRow>& costs,
                         const CostPair& pair)
    : target_(rows_of(path, costs, pair.plain(), sim::CostKind::target)),
      draft_(rows_of(path, costs, pair, sim::CostKind::draft)) {
  const std::vector<CostRow> overhead = rows_of(path, costs, pair, sim::CostKind::overhead),
                             plain = rows_of(path, costs, pair.plain(), sim::CostKind::overhead);
  using Rows = const std::vector<CostRow>*;
  for (const auto& [rows, what] : {std::pair<Rows, const char*>{&target_, "target"},
                                   {&overhead, "overhead (with the drafter)"},
                                   {&plain, "overhead of plain decoding"}})
    if (rows->empty())
      throw DataError(fmt::format("{}: no cost of kind {} for {}; measure it, or give ratios", path,
                                  what, pair.text()));
  std::vector<CostRow> all;
  for (const Rows rows : {Rows(&target_), Rows(&draft_), &overhead, &plain}) {
    check_distinct(path, *rows);
    all.insert(all.end(), rows->begin(), rows->end());
  }
  check_grid(path, target_);
  has_interval_ =
      std::ranges::any_of(all, [](const CostRow& row) { return row.ns.interval.has_value(); });
  Setting drafting = pair.setting;
  drafting.temperature = pair.regime.value_or(Regime::greedy) == Regime::greedy ? 0 : 1;
  for (const End end : {End::value, End::low, End::high}) {
    const std::vector<CostRow> rows = at_end(all, end);
    by_end_.push_back(
        {analysis::pair_costs(rows, drafting), analysis::pair_costs(rows, drafting.plain())});
  }
}

int PairSurface::longest() const {
  const auto longest = std::min(std::ranges::max(draft_, {}, &CostRow::rows).rows,
                                std::ranges::max(target_, {}, &CostRow::rows).rows - 1);
  return static_cast<int>(std::min<std::int64_t>(longest, kLongestLength));
}

int PairSurface::middle_context() const {
  std::set<std::int64_t> contexts;
  for (const CostRow& row : target_) contexts.insert(row.context);
  return static_cast<int>(
      *std::next(contexts.begin(), static_cast<std::ptrdiff_t>(contexts.size() / 2)));
}

std::pair<int, int> PairSurface::contexts() const {
  const auto [low, high] = std::ranges::minmax(target_, {}, &CostRow::context);
  return {static_cast<int>(low.context), static_cast<int>(high.context)};
}

LengthCosts PairSurface::at(int context, End end) const {
  const sim::CostSurface &drafting = *at(end).drafting.surface, &plain = *at(end).plain.surface;
  LengthCosts costs{.plain_ns = plain.plain_step_ns(context)};
  for (int length = 0, last = longest(); length <= last; ++length) {
    costs.draft_ns.push_back(drafting.t_draft_ns(length, context));
    costs.verify_ns.push_back(drafting.t_target_ns(length + 1, context));
    costs.overhead_ns.push_back(drafting.overhead_ns(length + 1, context));
  }
  return costs;
}

}  // namespace speclab::experiments
