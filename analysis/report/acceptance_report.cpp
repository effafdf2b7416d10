#include "analysis/report/acceptance_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/plots/acceptance_figures.h"
#include "analysis/plots/figure_text.h"
#include "analysis/report/document.h"
#include "analysis/report/sortable_table.h"

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

}  // namespace

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

std::string acceptance_page_html(const AcceptancePageContent& content,
                                 const std::string& plotly_js) {
  return document_html(
      {.manifest = content.manifest,
       .figures = content.figures,
       .answer = content.answer,
       .tables = std::string("<section><h2>Drafters</h2>\n") +
                 (are_rounds_observed(content.manifest) ? kRoundsNote : kPlacesNote) +
                 kAcceptanceTableNote + drafters_html(content.pooled) +
                 "</section>\n<section><h2>By depth</h2>\n" + kDepthNote +
                 depths_html(content.pooled) + "</section>\n<section><h2>By category</h2>\n" +
                 drafters_html(content.by_category) + "</section>\n"},
      plotly_js);
}

}  // namespace speclab::analysis
