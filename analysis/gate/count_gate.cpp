#include "analysis/gate/count_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "analysis/stats/significance.h"

namespace speclab::analysis {
namespace {

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Null counts rows.
using Count = std::int64_t Generation::*;

double value_of(const Generation& g, Count count) {
  return count == nullptr ? 1.0 : static_cast<double>(g.*count);
}

/// The pairs of a cell, by prompt.
using Prompts = std::map<std::string, std::vector<RowPair>>;

bool is_equal(const RowPair& pair) {
  constexpr std::array<Count, 8> kCounts = {&Generation::output_tokens,   &Generation::rounds,
                                            &Generation::drafting_rounds, &Generation::drafted,
                                            &Generation::accepted,        &Generation::tested,
                                            &Generation::recovered,       &Generation::bonus};
  return pair.base->output_hash == pair.head->output_hash &&
         std::ranges::all_of(kCounts,
                             [&](Count count) { return pair.base->*count == pair.head->*count; });
}

/// Sums by prompt of one run. @param side  &RowPair::base or &RowPair::head
ClusterTotals totals(const Prompts& prompts, const Generation* RowPair::* side, Count numerator,
                     Count denominator) {
  ClusterTotals totals;
  for (const auto& [prompt, pairs] : prompts) {
    double above = 0, below = 0;
    for (const RowPair& pair : pairs) {
      above += value_of(*(pair.*side), numerator);
      below += value_of(*(pair.*side), denominator);
    }
    totals.add(above, below);
  }
  return totals;
}

std::optional<GatedRate> rate(const Prompts& prompts, Count numerator, Count denominator) {
  return gated_rate(totals(prompts, &RowPair::base, numerator, denominator),
                    totals(prompts, &RowPair::head, numerator, denominator));
}

double mean_walltime(const Prompts& prompts, const Generation* RowPair::* side,
                     std::size_t n_rows) {
  double total = 0;
  for (const auto& [prompt, pairs] : prompts)
    for (const RowPair& pair : pairs) total += static_cast<double>((pair.*side)->walltime_ns());
  return total / static_cast<double>(n_rows);
}

CellGate describe(const Prompts& prompts) {
  const Generation& first = *prompts.begin()->second.front().base;
  CellGate cell{.cell_id = first.cell_id,
                .axes = first.axes,
                .n_prompts = prompts.size(),
                .acceptance_rate = {},
                .tokens_per_round = {},
                .tokens_per_row = {},
                .smallest_drop_found = {},
                .reason = {}};
  for (const auto& [prompt, pairs] : prompts) {
    cell.n_rows += pairs.size();
    cell.changed_rows += static_cast<std::size_t>(
        std::ranges::count_if(pairs, [](const RowPair& pair) { return !is_equal(pair); }));
  }
  cell.base_walltime_ns = mean_walltime(prompts, &RowPair::base, cell.n_rows);
  cell.head_walltime_ns = mean_walltime(prompts, &RowPair::head, cell.n_rows);
  cell.acceptance_rate = rate(prompts, &Generation::accepted, &Generation::tested);
  if (!cell.axes.is_plain() && cell.axes.policy != "auto")
    cell.tokens_per_round = rate(prompts, &Generation::output_tokens, &Generation::rounds);
  const auto has_same_length = [](const RowPair& pair) {
    return pair.base->output_tokens == pair.head->output_tokens;
  };
  if (!std::ranges::all_of(prompts, [&](const auto& entry) {
        return std::ranges::all_of(entry.second, has_same_length);
      }))
    cell.tokens_per_row = rate(prompts, &Generation::output_tokens, nullptr);
  return cell;
}

std::vector<CellGate> cells_of(const std::vector<RowPair>& pairs) {
  std::vector<std::pair<std::string, Prompts>> cells;
  std::map<std::string, std::size_t> index;
  for (const RowPair& pair : pairs) {
    const auto [found, is_new] = index.try_emplace(pair.base->cell_id, cells.size());
    if (is_new) cells.emplace_back(pair.base->cell_id, Prompts{});
    cells[found->second].second[pair.base->prompt_id].push_back(pair);
  }
  std::vector<CellGate> gates;
  for (const auto& [id, prompts] : cells) gates.push_back(describe(prompts));
  return gates;
}

std::vector<GatedRate*> family_of(std::vector<CellGate>& cells) {
  std::vector<GatedRate*> family;
  for (CellGate& cell : cells)
    for (auto* rate : {&cell.acceptance_rate, &cell.tokens_per_round, &cell.tokens_per_row})
      if (*rate) family.push_back(&**rate);
  return family;
}

void correct(std::vector<CellGate>& cells, const GateOptions& options) {
  const auto family = family_of(cells);
  std::vector<double> p_values;
  for (const GatedRate* rate : family) p_values.push_back(rate->change.p_value);
  const std::vector<double> adjusted = holm_adjusted(p_values);
  for (std::size_t i = 0; i < family.size(); ++i) family[i]->adjusted_p = adjusted[i];
  for (CellGate& cell : cells)
    if (cell.acceptance_rate)
      cell.smallest_drop_found = cell.acceptance_rate->change.smallest_found(
          options.alarm_level / static_cast<double>(family.size()), options.power);
}

/// Whether a rate of the cell went the way of `sign` beyond chance; says which.
bool has_moved(CellGate& cell, double sign, const GateOptions& options) {
  for (const auto& [name, rate] : {std::pair("acceptance rate", &cell.acceptance_rate),
                                   std::pair("tokens per round", &cell.tokens_per_round)}) {
    if (!*rate || (*rate)->adjusted_p > options.alarm_level ||
        (*rate)->change.difference.value * sign < options.least_change)
      continue;
    cell.reason = fmt::format("{} {} by {:.4f}, p = {:.2g} after Holm's correction", name,
                              sign < 0 ? "fell" : "rose",
                              std::abs((*rate)->change.difference.value), (*rate)->adjusted_p);
    return true;
  }
  return false;
}

/// Whether the interval of the acceptance rate leaves room for the largest drop.
bool may_have_dropped(const CellGate& cell, double largest_drop) {
  if (!cell.acceptance_rate) return false;
  const auto& interval = cell.acceptance_rate->change.difference.interval;
  return !interval || interval->low <= -largest_drop;
}

void judge(CellGate& cell, bool must_be_equal, const GateOptions& options) {
  if (cell.changed_rows == 0) return;
  if (cell.tokens_per_row && cell.tokens_per_row->adjusted_p <= options.alarm_level) {
    cell.verdict = GateVerdict::invalid;
    cell.reason = fmt::format(
        "texts of {:.1f} and {:.1f} tokens in the mean, p = {:.2g} after Holm's correction: not "
        "the same work",
        cell.tokens_per_row->base, cell.tokens_per_row->head, cell.tokens_per_row->adjusted_p);
  } else if (has_moved(cell, -1, options)) {
    cell.verdict = GateVerdict::slow;
  } else if (has_moved(cell, 1, options)) {
    cell.verdict = GateVerdict::fast;
  } else if (must_be_equal && cell.axes.policy != "auto") {
    cell.verdict = GateVerdict::ambiguous;
    cell.reason = fmt::format(
        "{} of {} rows have other counts or text, though machine, arithmetic, drafter and seed are "
        "the same",
        cell.changed_rows, cell.n_rows);
  } else if (may_have_dropped(cell, options.largest_drop)) {
    cell.verdict = GateVerdict::ambiguous;
    cell.reason = fmt::format("a drop of {} is neither shown nor excluded; give it more prompts",
                              options.largest_drop);
  }
}

GateVerdict overall(const std::vector<CellGate>& cells) {
  std::vector<GateVerdict> verdicts;
  for (const CellGate& cell : cells) verdicts.push_back(cell.verdict);
  return worst(verdicts);
}

}  // namespace

std::optional<GatedRate> gated_rate(const ClusterTotals& base, const ClusterTotals& head) {
  if (sum(base.denominator) <= 0 || sum(head.denominator) <= 0) return std::nullopt;
  return GatedRate{.base = sum(base.numerator) / sum(base.denominator),
                   .head = sum(head.numerator) / sum(head.denominator),
                   .change = paired_difference(base, head)};
}

void judge_cells(CountGate& gate, const GateOptions& options) {
  correct(gate.cells, options);
  for (CellGate& cell : gate.cells) judge(cell, gate.is_exact(), options);
  gate.verdict = overall(gate.cells);
}

CountGate gate_counts(const Run& base, const Run& head, const GateOptions& options) {
  CountGate gate{.work_differences = work_differences(base, head),
                 .origin_differences = origin_differences(base.manifest, head.manifest),
                 .cells = {},
                 .verdict = GateVerdict::invalid};
  if (!gate.work_differences.empty()) return gate;
  gate.cells = cells_of(row_pairs(base, head));
  judge_cells(gate, options);
  return gate;
}

}  // namespace speclab::analysis
