#include "experiments/drivers/journal/named_fields.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/kinds/cell_entry.h"
#include "experiments/drivers/kinds/kind_steps.h"
#include "experiments/drivers/kinds/rule_atlas.h"

namespace speclab::experiments {

void name_fields(const auto& bind, Is<analysis::CountedMean> auto& mean) {
  bind("closed_form", mean.closed_form, "counted", mean.counted, "low", mean.range.low, "high",
       mean.range.high, "p", mean.p);
}

void name_fields(const auto& bind, Is<AtlasRuleEntry> auto& r) {
  bind("rule", r.rule, "drafts", r.drafts, "lossless", r.lossless, "distance", r.distance, "trials",
       r.trials, "acceptance", r.acceptance, "block", r.tokens_per_round);
}

void name_fields(const auto& bind, Is<AtlasEntry> auto& entry) {
  bind("rows", entry.rows, "rules", entry.rules);
}

Json to_json(const AtlasEntry& entry) { return json_of(entry); }
AtlasEntry atlas_entry(const Json& json) { return value_of<AtlasEntry>(json); }

std::vector<NamedFile> rule_atlas_tables(const Plan& plan, const RunLog& log) {
  std::vector<analysis::AtlasRow> rows;
  for (const auto& [place, found] : log.cell_entries()) {
    const Cell& cell = plan.cells[found.cell];
    const AtlasEntry entry = found_in(found, atlas_entry);
    for (const AtlasRuleEntry& rule : entry.rules)
      rows.push_back({.cell_id = cell.id,
                      .category = cell.category,
                      .axes = cell.written(),
                      .rule = rule.rule,
                      .drafts = rule.drafts,
                      .lossless = rule.lossless,
                      .distance = rule.distance,
                      .logged_drafts = entry.rows,
                      .trials = rule.trials,
                      .acceptance = rule.acceptance,
                      .tokens_per_round = rule.tokens_per_round});
  }
  return {{"atlas.csv", analysis::atlas_table().csv(rows)}};
}

}  // namespace speclab::experiments
