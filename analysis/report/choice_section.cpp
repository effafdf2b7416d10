#include "analysis/report/choice_section.h"

#include "analysis/report/sortable_table.h"
#include "analysis/stats/pilot_choice.h"

namespace speclab::analysis {
namespace {

constexpr const char* kChoiceNote =
    "<p class=\"note\">Each drafter's walltime over all categories was predicted from the pilots "
    "before anything was measured. The chosen drafter has the shortest one among the lossless "
    "drafters. The speed-ups are measured on other prompts.</p>\n";

std::vector<TableEntry> row(const FigureData& data, const PilotChoice& choice) {
  const GroupSummary& chosen = choice.chosen->summary;
  return {text_entry(choice.chosen->axes.model),
          setting_entry(choice.chosen->axes.temperature),
          text_entry(line_name(data.pooled, *choice.chosen)),
          value_entry(chosen.prediction.speedup),
          estimate_entry(chosen.speedup),
          estimate_entry(chosen.decoding_speedup),
          text_entry(line_name(data.pooled, *choice.fastest)),
          estimate_entry(choice.fastest->summary.speedup)};
}

}  // namespace

std::string choice_section_html(const FigureData& data) {
  std::vector<std::vector<TableEntry>> rows;
  for (const PilotChoice& choice : pilot_choices(data.pooled)) rows.push_back(row(data, choice));
  if (rows.empty()) return "";
  const std::vector<TableColumn> columns{
      {"model", true}, {"temperature"},    {"chosen on pilots", true},      {"speed-up predicted"},
      {"speed-up"},    {"decoding alone"}, {"fastest when measured", true}, {"its speed-up"}};
  return "<section><h2>The drafter that the pilots chose</h2>\n" + std::string(kChoiceNote) +
         sortable_table_html(columns, rows) + "</section>\n";
}

}  // namespace speclab::analysis
