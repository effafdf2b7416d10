#include "analysis/tables/costs.h"

#include <ranges>

#include "analysis/tables/axes.h"
#include "analysis/tables/fields.h"
#include "analysis/tables/intervals.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

/// A forward takes some time, and its interval lies around it.
void check_cost(const Table& table, std::size_t place, const CostRow& row) {
  if (row.kind == sim::CostKind::target && row.ns.value <= 0)
    table.fail(place, "ns", "a forward takes some time");
  if (!row.ns.interval) return;
  if (row.ns.interval->low > row.ns.value || row.ns.value > row.ns.interval->high)
    table.fail(place, "ns_low", "must hold: ns_low <= ns <= ns_high");
  if (row.kind == sim::CostKind::target && row.ns.interval->low <= 0)
    table.fail(place, "ns_low", "a forward takes some time");
}

/// The columns that name a point.
std::vector<Column<CostRow>> point_columns() {
  using sim::CostKind;
  const auto part = part_of(&CostRow::setting);
  return {
      {"model", part(&Setting::model), Text{},
       "what drafts and verifies; all but `model` are empty for the target's own costs"},
      {"drafter", part(&Setting::drafter), MaybeText{}, ""},
      {"tree", part(&Setting::tree), MaybeText{}, ""},
      {"verifier", part(&Setting::verifier), MaybeText{}, ""},
      {"regime", &CostRow::regime, OneOf<Regime>{{Regime::greedy, Regime::sampled}},
       "`greedy` or `sampled`: whether laws are made and drawn from; empty where it does "
       "not matter"},
      {"kind", &CostRow::kind,
       OneOf<CostKind>{{CostKind::target, CostKind::draft, CostKind::prefill, CostKind::overhead}},
       "`target`, `draft` (one call that drafts `rows` levels), `prefill` (`rows` prompt "
       "tokens; with a drafter what its first draft costs on top), `overhead` (a round "
       "without forwards)"},
      {"rows", &CostRow::rows, Count{.least = 1},
       "rows of the forward, tokens in the cache before it, sequences"},
      {"context", &CostRow::context, Count{}, ""},
      {"batch", part(&Setting::batch), Count{.least = 1}, ""},
      {"weights", part(&Setting::weights), MaybeText{},
       "of the target; as in `rows.csv`, like `activations` and `generation`", kWeightsGroup},
      {"activations", part(&Setting::activations), MaybeText{}, "", kActivationsGroup},
      {"generation", part(&Setting::generation), MaybeText{}, "", kGenerationGroup}};
}

}  // namespace

Setting setting_of_costs(const Setting& setting) {
  Setting costs = setting_of_forwards(setting);
  costs.batch = setting.batch;
  costs.generation = setting.generation;
  if (setting.is_plain()) return costs;
  costs.drafter = setting.drafter;
  costs.tree = setting.tree;
  costs.verifier = setting.verifier;
  return costs;
}

Setting setting_of_forwards(const Setting& setting) {
  return {.model = setting.model, .weights = setting.weights, .activations = setting.activations};
}

const Schema<CostRow>& costs_table() {
  static const Schema<CostRow> table{
      "costs.csv", "a point of the cost surface, measured",
      joined<CostRow>(
          {point_columns(),
           estimate_columns<CostRow>(
               "ns", &CostRow::ns, {.high = 1e15, .unit = "ns"},
               "mean over `n` passes of the median in each, with its 95 % interval (Student's t "
               "over passes, on the scale of logarithms). A machine that is now fast and now slow "
               "thus counts as it does in walltimes. A point that one pass met has the median of "
               "`n` timings and the interval of order statistics, empty if `n` < 6. Rows before "
               "2026-11-24 are such medians over all passes"),
           {{"n", [](auto& row) -> auto& { return row.ns.n; }, Count{.least = 1},
             "passes; of a point that one pass met, timings"}}})};
  return table;
}

std::vector<CostRow> read_costs(const std::string& path) {
  std::vector<CostRow> costs = costs_table().read(path, check_cost);
  if (costs.empty()) throw DataError(path + ": no rows; nothing was measured");
  return costs;
}

std::string costs_csv(const std::vector<CostRow>& costs) {
  return costs_table().csv(costs, axis_groups(costs | std::views::transform(&CostRow::setting)));
}

const Schema<PaceRow>& pace_table() {
  static const Schema<PaceRow> table{
      "pace.csv",
      "a bare forward between two generations, measured",
      {{"row_id", &PaceRow::row_id, Count{}, "the generation that follows"},
       {"model", &PaceRow::model, Text{},
        "as in `costs.csv`, with its weights and activations where the run varies them"},
       {"rows", &PaceRow::rows, Count{.least = 1}, ""},
       {"context", &PaceRow::context, Count{}, ""},
       {"ns", &PaceRow::ns, Number{.low = 1, .high = 1e15, .unit = "ns"}, "time of the forward"}}};
  return table;
}

}  // namespace speclab::analysis
