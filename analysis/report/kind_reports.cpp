#include "analysis/report/kind_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "analysis/plots/figure_text.h"
#include "analysis/plots/kind_figures.h"
#include "analysis/report/html.h"
#include "analysis/report/page.h"
#include "analysis/stats/drafter_acceptance.h"
#include "analysis/stats/line_fit.h"
#include "analysis/tables/atlas.h"
#include "analysis/tables/costs.h"

namespace speclab::analysis {
namespace {

constexpr const char* kPlacesNote =
    "<p class=\"note\">The drafter drafts at every place of the target's own text, and no draft is "
    "kept.</p>\n";
constexpr const char* kRoundsNote =
    "<p class=\"note\">The drafts come from rounds of speculative decoding, which keep accepted "
    "tokens. A place at which the drafter is good is rarely the first of a round.</p>\n";
constexpr const char* kAcceptanceTableNote =
    "<p class=\"note\">Acceptance: mean of sum min(p, q), at depth 1 and over all depths (accepted "
    "over tested). Drafts: share of places at which the drafter proposed something. Top k: the "
    "target's mass on the drafter's k most likely tokens, if the drafter has a law. Click a "
    "heading to sort.</p>\n";
constexpr const char* kDepthNote =
    "<p class=\"note\">Acceptance: given that the tokens before were kept. Survival: the chance "
    "that all tokens up to here are kept.</p>\n";

std::optional<Estimate> in_top(const DrafterAcceptance& drafter, std::size_t k) {
  if (drafter.depths.empty() || drafter.depths.front().in_top.size() < k) return std::nullopt;
  return drafter.depths.front().in_top[k - 1];
}

std::string drafters_html(const std::vector<DrafterAcceptance>& drafters) {
  const std::vector<TableColumn> columns{{"model", true},
                                         {"drafter", true},
                                         {"temperature"},
                                         {"category", true},
                                         {"places"},
                                         {"drafts"},
                                         {"acceptance, depth 1"},
                                         {"acceptance, all"},
                                         {"top 2"},
                                         {"top 3"},
                                         {"top 5"},
                                         {"top 10"}};
  std::vector<std::vector<TableEntry>> entries;
  for (const DrafterAcceptance& d : drafters) {
    const auto first = d.depths.empty() ? std::nullopt : std::optional(d.depths.front().acceptance);
    entries.push_back({text_entry(d.axes.model), text_entry(drafter_name(d, drafters)),
                       setting_entry(d.axes.temperature), text_entry(d.category),
                       setting_entry(static_cast<double>(d.positions)), estimate_entry(d.coverage),
                       estimate_entry(first), estimate_entry(d.acceptance_rate)});
    for (const std::size_t k : {2U, 3U, 5U, 10U})
      entries.back().push_back(estimate_entry(in_top(d, k)));
  }
  return sortable_table_html(columns, entries);
}

std::string depths_html(const std::vector<DrafterAcceptance>& drafters) {
  const std::vector<TableColumn> columns{{"model", true}, {"drafter", true}, {"temperature"},
                                         {"depth"},       {"acceptance"},    {"survival"}};
  std::vector<std::vector<TableEntry>> entries;
  for (const DrafterAcceptance& d : drafters)
    for (const DepthAcceptance& depth : d.depths)
      entries.push_back({text_entry(d.axes.model), text_entry(drafter_name(d, drafters)),
                         setting_entry(d.axes.temperature), setting_entry(depth.depth),
                         estimate_entry(depth.acceptance), estimate_entry(depth.survival)});
  return sortable_table_html(columns, entries);
}

constexpr const char* kAtlasTableNote =
    "<p class=\"note\">Every rule on one set of logged drafts. Acceptance: the chance that any of "
    "the drafts for one place is kept. Tokens a round: the kept tokens of a chain, plus one. p: "
    "two-sided p-value of the count under its exact law. Distance: mean total variation of an "
    "emitted token from the target's law; 0 for lossless rules. Click a heading to sort.</p>\n";

std::vector<TableEntry> entries_of(const AtlasRow& row) {
  const auto number = [](double value) { return value_entry(value); };
  std::vector<TableEntry> entries{text_entry(row.axes.drafter),
                                  setting_entry(row.axes.temperature),
                                  setting_entry(row.axes.top_p),
                                  text_entry(row.rule),
                                  setting_entry(static_cast<double>(row.drafts)),
                                  number(row.distance),
                                  setting_entry(static_cast<double>(row.trials)),
                                  number(row.acceptance.closed_form),
                                  number(row.acceptance.counted),
                                  number(row.acceptance.p)};
  const auto block = [&](auto member) {
    return value_entry(row.tokens_per_round ? std::optional<double>((*row.tokens_per_round).*member)
                                            : std::nullopt);
  };
  for (const auto member : {&CountedMean::closed_form, &CountedMean::counted, &CountedMean::p})
    entries.push_back(block(member));
  return entries;
}

std::string table_html(const std::vector<AtlasRow>& rows) {
  const std::vector<TableColumn> columns{
      {"drafter", true},  {"temperature"}, {"top-p"},      {"rule", true}, {"drafts"},
      {"distance"},       {"trials"},      {"acceptance"}, {"counted"},    {"p"},
      {"tokens a round"}, {"counted"},     {"p"}};
  std::vector<std::vector<TableEntry>> entries;
  for (const AtlasRow& row : rows) entries.push_back(entries_of(row));
  return sortable_table_html(columns, entries);
}

/// Mean tokens a round of the lossless rules for chains, over all cells.
std::map<std::string, double> mean_blocks(const std::vector<AtlasRow>& rows) {
  std::map<std::string, double> total, count;
  for (const AtlasRow& row : rows)
    if (row.tokens_per_round && row.lossless)
      total[row.rule] += row.tokens_per_round->closed_form, ++count[row.rule];
  for (auto& [rule, value] : total) value /= count[rule];
  return total;
}

constexpr std::int64_t kMostRowsOfAnswer =
    8;  // a chain of seven drafts, about where drafting stops paying on a CPU

std::string table_html(const std::vector<CostRow>& costs) {
  std::vector<TableColumn> columns;
  for (const char* title : {"kind", "model", "drafter", "tree", "verifier", "regime"})
    columns.push_back({title, true});
  for (const char* title : {"rows", "context", "ms", "n"}) columns.push_back({title});
  std::vector<std::vector<TableEntry>> rows;
  for (const CostRow& cost : costs)
    rows.push_back({text_entry(to_string(cost.kind)), text_entry(cost.setting.model),
                    text_entry(cost.setting.drafter), text_entry(cost.setting.tree),
                    text_entry(cost.setting.verifier), text_entry(cost.regime_text()),
                    setting_entry(static_cast<double>(cost.rows)),
                    setting_entry(static_cast<double>(cost.context)), estimate_entry(cost.ns, 1e-6),
                    setting_entry(static_cast<double>(cost.ns.n))});
  return sortable_table_html(columns, rows);
}

constexpr const char* kCostTableNote =
    "<p class=\"note\">Means over n passes over all points, or over n timings. In brackets: 95 % "
    "intervals if there are any. Meaning of rows, by kind. Target: rows of a forward. Draft: "
    "drafted levels. Overhead: rows of the round's forward. Prefill: prompt tokens (with a "
    "drafter: the extra cost of its first draft). Click a heading to sort.</p>\n";

/// Times of a model's forwards at its longest context, by rows.
std::map<std::int64_t, double> forwards_at_longest_context(const std::vector<CostRow>& costs,
                                                           const std::string& model) {
  std::map<std::int64_t, std::map<std::int64_t, double>> by_context;
  for (const CostRow& cost : costs)
    if (cost.kind == sim::CostKind::target && cost.setting.model == model)
      by_context[cost.context][cost.rows] = cost.ns.value;
  return by_context.empty() ? std::map<std::int64_t, double>{} : by_context.rbegin()->second;
}

std::string sentence(const std::string& model, const std::map<std::int64_t, double>& ns_of_rows) {
  const auto one = ns_of_rows.find(1);
  const auto beyond = ns_of_rows.upper_bound(kMostRowsOfAnswer);
  if (one == ns_of_rows.end() || beyond == ns_of_rows.begin()) return "";
  const auto wide = std::prev(beyond);
  if (wide->first == 1) return "";
  return fmt::format(
      "A forward of {} of {} rows takes {:.2f} times as long as one of a single row ({:.2f} ms). ",
      model, wide->first, wide->second / one->second, one->second * 1e-6);
}

/// Names the cost of a row, and the number of rows from which it is another.
std::string break_sentence(const std::map<std::int64_t, double>& ns_of_rows) {
  constexpr std::size_t kFewestPoints = 6;  // one more than the fit has to have
  if (ns_of_rows.size() < kFewestPoints) return "";
  std::vector<double> rows, ms;
  for (const auto& [count, ns] : ns_of_rows)
    rows.push_back(static_cast<double>(count)), ms.push_back(ns * 1e-6);
  if (std::ranges::min(ms) == std::ranges::max(ms)) return "";
  const BrokenLineFit fit = fit_broken_line(rows, ms);
  return fmt::format(
      "Two lines fit its {} points: {:.2f} ms plus {:.3f} ms a row up to {:.0f} rows, then {:.3f} "
      "ms a row. They are off by {:.2f} ms (root mean square); one line is off by {:.2f} ms. ",
      rows.size(), fit.intercept, fit.slope_before, fit.breakpoint, fit.slope_after, fit.rms_error,
      fit_line(rows, ms).rms_error);
}

std::string acceptance_answer(const std::vector<DrafterAcceptance>& pooled) {
  std::map<std::pair<std::string, double>, std::vector<std::pair<double, std::string>>> by_sampling;
  for (const DrafterAcceptance& d : pooled)
    if (!d.depths.empty())
      by_sampling[{d.axes.model, d.axes.temperature}].emplace_back(
          d.depths.front().acceptance.value, drafter_name(d, pooled));
  if (by_sampling.empty())
    return "No drafter drafted anything. Choose drafters that draft on these prompts.";
  std::string answer = "Share of first drafted tokens that would be kept:";
  for (auto& [sampling, drafters] : by_sampling) {
    std::ranges::stable_sort(drafters, std::greater<>(),
                             [](const auto& entry) { return entry.first; });
    answer += fmt::format("{} by {} at temperature {}", answer.ends_with(':') ? "" : ";",
                          sampling.first, short_number(sampling.second));
    for (std::size_t i = 0; i < drafters.size(); ++i)
      answer +=
          fmt::format("{} {} {:.3f}", i == 0 ? "" : ",", drafters[i].second, drafters[i].first);
  }
  return answer + ".";
}

std::string atlas_answer(const std::vector<AtlasRow>& rows) {
  if (rows.empty())
    return "No cell drafted anything, so no rule had anything to verify. Choose drafters that "
           "draft on these prompts.";
  const AtlasTest test = test_of(rows);
  const auto blocks = mean_blocks(rows);
  std::vector<std::pair<double, std::string>> ordered;
  for (const auto& [rule, block] : blocks) ordered.emplace_back(block, rule);
  std::ranges::sort(ordered, std::greater<>());
  std::string answer =
      "Tokens a round of the lossless rules for one draft, in the mean over all cells:";
  for (const auto& [block, rule] : ordered)
    answer += fmt::format("{} {} {:.3f}", answer.ends_with(':') ? "" : ",", rule, block);
  return answer +
         fmt::format(
             ". {} counts against their exact laws: smallest p {:.2g}, {} 1e-6 over their number.",
             test.counts, test.smallest_p, test.passes() ? "not below" : "BELOW");
}

std::string cost_answer(const std::vector<CostRow>& costs) {
  std::set<std::string> said;
  std::string answer;
  for (const CostRow& cost : costs)
    if (said.insert(cost.setting.model).second) {
      const auto forwards = forwards_at_longest_context(costs, cost.setting.model);
      answer += sentence(cost.setting.model, forwards) + break_sentence(forwards);
    }
  if (answer.empty())
    return fmt::format("{} points of the cost surface were measured.", costs.size());
  answer.pop_back();
  return answer;
}

}  // namespace

KindReport acceptance_report(const std::string& run_folder, const Manifest& manifest) {
  const AcceptanceRun run = read_acceptance_run(run_folder);
  Bootstrap bootstrap(manifest.seed);
  const auto pooled = drafter_acceptance(run.rows, true, bootstrap),
             by_category = drafter_acceptance(run.rows, false, bootstrap);
  return {.figures = acceptance_figures(pooled, by_category),
          .answer = unfinished_note(run.missing()) + acceptance_answer(pooled),
          .tables = std::string("<section><h2>Drafters</h2>\n") +
                    (are_rounds_observed(manifest) ? kRoundsNote : kPlacesNote) +
                    kAcceptanceTableNote + drafters_html(pooled) +
                    "</section>\n<section><h2>By depth</h2>\n" + kDepthNote + depths_html(pooled) +
                    "</section>\n<section><h2>By category</h2>\n" + drafters_html(by_category) +
                    "</section>\n"};
}

KindReport atlas_report(const std::string& run_folder, const Manifest&) {
  const std::vector<AtlasRow> rows =
      read_atlas(fmt::format("{}/{}", run_folder, atlas_table().file()));
  return {.figures = atlas_figures(rows),
          .answer = atlas_answer(rows),
          .tables = "<section><h2>All counts</h2>\n" + std::string(kAtlasTableNote) +
                    table_html(rows) + "</section>\n"};
}

KindReport cost_report(const std::string& run_folder, const Manifest&) {
  const std::vector<CostRow> costs = read_costs(run_folder + "/costs.csv");
  return {.figures = forward_cost_figures(costs),
          .answer = cost_answer(costs),
          .tables = "<section><h2>All points</h2>\n" + std::string(kCostTableNote) +
                    table_html(costs) + "</section>\n"};
}

}  // namespace speclab::analysis
