#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/kinds/cell_entry.h"
#include "experiments/drivers/kinds/kind_steps.h"
#include "experiments/drivers/kinds/rule_atlas.h"

namespace speclab::experiments {
namespace {

Json mean_json(const analysis::CountedMean& mean) {
  return {mean.closed_form, mean.counted, mean.range.low, mean.range.high, mean.p};
}

analysis::CountedMean mean_of(const Json& json) {
  const auto number = [&](std::size_t i) { return json.at(i).get<double>(); };
  return {number(0), number(1), {number(2), number(3)}, number(4)};
}

}  // namespace

Json to_json(const AtlasEntry& entry) {
  Json rules = Json::array();
  for (const AtlasRuleEntry& r : entry.rules) {
    Json rule = {{"rule", r.rule},         {"drafts", r.drafts},
                 {"lossless", r.lossless}, {"distance", r.distance},
                 {"trials", r.trials},     {"acceptance", mean_json(r.acceptance)}};
    if (r.tokens_per_round) rule["block"] = mean_json(*r.tokens_per_round);
    rules.push_back(rule);
  }
  return {{"rows", entry.rows}, {"rules", rules}};
}

AtlasEntry atlas_entry(const Json& json) {
  AtlasEntry entry{.rows = json.at("rows").get<std::int64_t>(), .rules = {}};
  for (const Json& rule : json.at("rules")) {
    entry.rules.push_back({.rule = rule.at("rule").get<std::string>(),
                           .drafts = rule.at("drafts").get<int>(),
                           .lossless = rule.at("lossless").get<bool>(),
                           .distance = rule.at("distance").get<double>(),
                           .trials = rule.at("trials").get<std::int64_t>(),
                           .acceptance = mean_of(rule.at("acceptance"))});
    if (rule.contains("block")) entry.rules.back().tokens_per_round = mean_of(rule.at("block"));
  }
  return entry;
}

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
