#include "analysis/report/page.h"

#include <fmt/format.h>

#include "analysis/report/html.h"
#include "analysis/tables/regrets.h"

namespace speclab::analysis {
namespace {

constexpr double kPercent = 100;
constexpr const char* kRegretNote =
    "<p class=\"note\">Regret: extra time for a token of decoding, in per cent, over the prompts "
    "that all policies have. On the cost surface: each round that was made counts with the timed "
    "cost of such a round, so the pace of the machine does not matter. Best static: the constant "
    "length, or no drafting, that was fastest on these very prompts. Nobody knows it beforehand; "
    "the intervals take it as given. Clairvoyant: drafts in every round of the longest constant "
    "length exactly the tokens that the round kept. It bounds every policy that drafts no longer. "
    "Above temperature 0 policies draw other texts, so the bound holds in the mean only. In "
    "brackets: 95 % intervals over prompts.</p>\n";

std::string policy_name(const Group& group) {
  return group.axes.is_plain() ? "none" : group.axes.policy;
}

std::vector<TableEntry> row(const PolicyComparison& comparison, const Regret& regret) {
  const Setting& setting = comparison.longest_static->axes;
  return {
      text_entry(setting.model),
      text_entry(setting.tree == "chain" ? setting.drafter : setting.drafter + " " + setting.tree),
      setting_entry(setting.temperature),
      text_entry(policy_name(*regret.group)),
      value_entry(regret.ns_per_token, 1e-6),
      text_entry(policy_name(*comparison.best_static)),
      estimate_entry(regret.to_static, kPercent),
      estimate_entry(regret.to_clairvoyant, kPercent),
      estimate_entry(regret.measured_to_static, kPercent)};
}

RegretRow row_of(const PolicyComparison& comparison, const Regret& regret) {
  Setting axes = comparison.longest_static->axes;
  axes.policy = policy_name(*regret.group);
  return {.axes = axes,
          .n_prompts = static_cast<std::int64_t>(comparison.num_prompts),
          .ns_per_token = regret.ns_per_token,
          .best_static = policy_name(*comparison.best_static),
          .longest_static = comparison.longest_static->axes.policy,
          .clairvoyant_ns_per_token = comparison.clairvoyant_ns_per_token,
          .to_static = regret.to_static,
          .to_clairvoyant = regret.to_clairvoyant,
          .measured_to_static = regret.measured_to_static};
}

}  // namespace

std::string regret_section_html(const std::vector<PolicyComparison>& comparisons) {
  if (comparisons.empty()) return "";
  const std::vector<TableColumn> columns{{"model", true},
                                         {"drafter", true},
                                         {"temperature"},
                                         {"policy", true},
                                         {"ms a token, surface"},
                                         {"best static", true},
                                         {"regret to it"},
                                         {"regret to the clairvoyant"},
                                         {"regret to the static, measured"}};
  std::vector<std::vector<TableEntry>> rows;
  for (const PolicyComparison& comparison : comparisons)
    for (const Regret& regret : comparison.regrets) rows.push_back(row(comparison, regret));
  return fmt::format("<section><h2>Regret of the policies</h2>\n{}{}</section>\n", kRegretNote,
                     sortable_table_html(columns, rows));
}

std::string regret_csv(const std::vector<PolicyComparison>& comparisons) {
  std::vector<RegretRow> rows;
  for (const PolicyComparison& comparison : comparisons)
    for (const Regret& regret : comparison.regrets) rows.push_back(row_of(comparison, regret));
  return regrets_table().csv(rows);
}

}  // namespace speclab::analysis
