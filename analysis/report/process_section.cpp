#include "analysis/report/process_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/plots/figure_series.h"
#include "analysis/report/html.h"
#include "analysis/report/sortable_table.h"
#include "analysis/stats/process_table.h"

namespace speclab::analysis {
namespace {

constexpr const char* kProcessNote =
    "<p class=\"note\">Fits by maximum likelihood. iid: one rate for all. The others: one rate for "
    "each position of the draft; one for each prompt from a beta law; easy and hard places of the "
    "text (two states of a Markov chain). Tokens a round: at the longest draft that the rounds "
    "support. Misfit: tokens a round of the process minus those of the positions. If its interval "
    "excludes 0, the process does not describe these rounds. The least AIC is the best fit for its "
    "size. In brackets: 95 % intervals, Student's t, jackknife over groups of prompts.</p>\n";

std::string p_text(const std::optional<double>& p) { return p ? fmt::format("{:.2g}", *p) : "–"; }

void add_rows(const std::string& name, const ProcessTable& table,
              std::vector<std::vector<TableEntry>>& rows) {
  for (const FittedAcceptance& fit : table.fits)
    rows.push_back(
        {text_entry(name),
         text_entry(fit.process),
         {html_escaped(fit.parameters), fit.parameters},
         {fmt::format("{:.1f}", fit.akaike_criterion), fmt::format("{}", fit.akaike_criterion)},
         setting_entry(table.speculation_length),
         estimate_entry(table.tokens_per_round),
         estimate_entry(fit.tokens_per_round),
         estimate_entry(fit.misfit),
         {p_text(table.constant_acceptance_p), p_text(table.constant_acceptance_p)}});
}

}  // namespace

std::string process_section_html(const FigureData& data) {
  const auto lines = at_temperature(primary_lines(data), lowest_temperature(primary_lines(data)));
  std::vector<std::vector<TableEntry>> rows;
  for (const auto& line : lines)
    if (const Group& group = *line.groups.front(); !group.axes.is_plain())
      if (const auto table = process_table(group.generations, data.run))
        add_rows(line.name, *table, rows);
  if (rows.empty()) return "";
  const std::vector<TableColumn> columns{
      {"drafter", true},       {"process", true},  {"parameters", true}, {"AIC"},
      {"draft length"},        {"tokens a round"}, {"of the process"},   {"misfit"},
      {"p of equal positions"}};
  return "<section><h2>Processes fitted to acceptance</h2>\n" + std::string(kProcessNote) +
         sortable_table_html(columns, rows) + "</section>\n";
}

}  // namespace speclab::analysis
