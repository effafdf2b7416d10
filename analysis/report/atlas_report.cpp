#include "analysis/report/atlas_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "analysis/report/document.h"
#include "analysis/report/sortable_table.h"

namespace speclab::analysis {
namespace {

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

}  // namespace

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

std::string atlas_page_html(const AtlasPageContent& content, const std::string& plotly_js) {
  return document_html({.manifest = content.manifest,
                        .figures = content.figures,
                        .answer = content.answer,
                        .tables = "<section><h2>All counts</h2>\n" + std::string(kAtlasTableNote) +
                                  table_html(content.rows) + "</section>\n"},
                       plotly_js);
}

}  // namespace speclab::analysis
