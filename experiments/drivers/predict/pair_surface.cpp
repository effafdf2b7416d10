#include "experiments/drivers/predict/pair_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "analysis/stats/pair_costs.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

using analysis::CostRow;

double ns_at(const analysis::Estimate& ns, End end) {
  if (!ns.interval || end == End::value) return ns.value;
  return end == End::low ? ns.interval->low : ns.interval->high;
}

/// Rows of one kind that belong to a pair.
std::vector<CostRow> rows_of(const std::vector<CostRow>& costs, const CostPair& pair,
                             sim::CostKind kind) {
  std::vector<CostRow> rows;
  std::ranges::copy_if(costs, std::back_inserter(rows), [&](const CostRow& row) {
    const auto its = pair_of(row);
    return row.kind == kind && its && its->setting == pair.setting &&
           (!row.regime || row.regime == pair.regime);
  });
  return rows;
}

/// @throws DataError for rows or contexts beyond those of any machine
std::vector<sim::CostPoint> points_of(const std::string& path, const std::vector<CostRow>& rows,
                                      End end) {
  constexpr std::int64_t kMost = 1 << 20;
  std::vector<sim::CostPoint> points;
  for (const CostRow& row : rows) {
    if (row.rows > kMost || row.context > kMost)
      throw DataError(fmt::format("{}: {} rows at context {}; allowed: at most {} of either", path,
                                  row.rows, row.context, kMost));
    const double ns = ns_at(row.ns, end);
    points.push_back({.kind = row.kind,
                      .rows = static_cast<int>(row.rows),
                      .context = static_cast<int>(row.context),
                      .ns = ns,
                      .ns_low = ns,
                      .ns_high = ns,
                      .n = 1});
  }
  return points;
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
    : target_(rows_of(costs, pair.plain(), sim::CostKind::target)),
      draft_(rows_of(costs, pair, sim::CostKind::draft)),
      overhead_(rows_of(costs, pair, sim::CostKind::overhead)),
      plain_overhead_(rows_of(costs, pair.plain(), sim::CostKind::overhead)) {
  for (const auto& [rows, what] : {std::pair{&target_, "target"},
                                   {&overhead_, "overhead (with the drafter)"},
                                   {&plain_overhead_, "overhead of plain decoding"}})
    if (rows->empty())
      throw DataError(fmt::format("{}: no cost of kind {} for {}; measure it, or give ratios", path,
                                  what, pair.text()));
  for (const auto* rows : {&target_, &draft_, &overhead_, &plain_overhead_})
    check_distinct(path, *rows);
  check_grid(path, target_);
  for (const End end : {End::value, End::low, End::high}) {
    target_at_.emplace_back(points_of(path, target_, end));
    draft_at_.emplace_back(analysis::held_constant_outside(points_of(path, draft_, end)));
    overhead_at_.emplace_back(analysis::held_constant_outside(points_of(path, overhead_, end)));
    plain_overhead_at_.emplace_back(
        analysis::held_constant_outside(points_of(path, plain_overhead_, end)));
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

bool PairSurface::has_interval() const {
  const auto known = [](const std::vector<CostRow>& rows) {
    return std::ranges::any_of(rows,
                               [](const CostRow& row) { return row.ns.interval.has_value(); });
  };
  return known(target_) || known(draft_) || known(overhead_) || known(plain_overhead_);
}

LengthCosts PairSurface::at(int context, End end) const {
  const auto index = static_cast<std::size_t>(end);
  LengthCosts costs{.plain_ns = target_at_[index].t_target_ns(1, context) +
                                plain_overhead_at_[index].overhead_ns(1, context)};
  for (int length = 0, last = longest(); length <= last; ++length) {
    costs.draft_ns.push_back(draft_at_[index].t_draft_ns(length, context));
    costs.verify_ns.push_back(target_at_[index].t_target_ns(length + 1, context));
    costs.overhead_ns.push_back(overhead_at_[index].overhead_ns(length + 1, context));
  }
  return costs;
}

}  // namespace speclab::experiments
