#include "analysis/report/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/plots/figure_text.h"
#include "analysis/report/html.h"
#include "analysis/stats/groups.h"
#include "analysis/tables/csv_writer.h"

namespace speclab::analysis {
namespace {

constexpr const char* kLedgerNote =
    "<p class=\"note\">Means of a generation, ms. Measured values replace predicted ones in the "
    "order of the columns. First comes the machine's pace between the generations, then the real "
    "rounds. The times of reading, drafting and the rest of a round follow. The remainder is not "
    "explained: forwards in rounds took another time than bare forwards at that pace. In brackets: "
    "95 % intervals over prompts, Student's t. The pace has none, because the prompts share it. If "
    "it was not timed, it is part of the remainder.</p>\n";

std::string name_of(const FigureData& data, const GroupLedger& entry) {
  return line_name(data.pooled, *entry.group);
}

std::vector<TableEntry> row(const FigureData& data, const GroupLedger& entry) {
  constexpr double kMs = 1e-6;
  const Ledger& ledger = entry.ledger;
  std::vector<TableEntry> cells{
      text_entry(entry.group->axes.model), text_entry(name_of(data, entry)),
      setting_entry(entry.group->axes.temperature), value_entry(ledger.predicted_ns, kMs),
      value_entry(ledger.measured_ns, kMs)};
  cells.push_back(
      value_entry(ledger.has_pace ? std::optional(ledger.at(Cause::pace).value) : std::nullopt, kMs,
                  2));  // shared by the prompts
  for (const Cause cause : kCauses)
    if (cause != Cause::pace) cells.push_back(estimate_entry(ledger.at(cause), kMs, 2));
  cells.push_back(text_entry(reasons(ledger)));
  return cells;
}

std::string sentence(const FigureData& data, const GroupLedger& entry) {
  const double off = entry.ledger.measured_ns / entry.ledger.predicted_ns - 1;
  const std::string why = reasons(entry.ledger);
  return fmt::format("<p>{} at temperature {} took {:.1f} % {} than predicted{}.</p>\n",
                     html_escaped(name_of(data, entry)),
                     short_number(entry.group->axes.temperature), 100 * std::abs(off),
                     off >= 0 ? "longer" : "less time",
                     why.empty() ? "" : ": " + html_escaped(why));
}

std::string unexplained(const std::vector<GroupLedger>& entries) {
  std::vector<Ledger> drafting;
  for (const GroupLedger& entry : entries)
    if (entry.group->summary.drafting_fraction >= 0.5) drafting.push_back(entry.ledger);
  const auto median = median_unexplained(drafting);
  if (!median) return "";
  return fmt::format(
      "<p>Not explained: {} % of the walltime in the median of the cells that draft in at least "
      "half of their rounds; {}.</p>\n",
      estimate_text(*median, 100, 2).value, interval_text(*median, 100, " %", 2));
}

void write_row(CsvWriter& csv, const GroupLedger& entry) {
  const Setting& axes = entry.group->axes;
  csv.field(entry.group->category).field(axes.model).field(axes.drafter);
  for (const std::string* text : {&axes.tree, &axes.policy, &axes.verifier})
    text->empty() ? csv.missing() : csv.field(*text);
  csv.field(axes.temperature)
      .field(static_cast<std::int64_t>(entry.group->summary.n_prompts))
      .field(entry.ledger.predicted_ns)
      .field(entry.ledger.measured_ns);
  for (const Cause which : kCauses) {
    const Estimate& cause = entry.ledger.at(which);
    csv.field(entry.ledger.is_known(which) ? std::optional(cause.value) : std::nullopt);
    const bool has_interval = cause.interval && entry.ledger.is_known(which);
    csv.field(has_interval ? std::optional(cause.interval->low) : std::nullopt)
        .field(has_interval ? std::optional(cause.interval->high) : std::nullopt);
  }
  csv.end_row();
}

}  // namespace

std::vector<GroupLedger> ledgers_of(const std::vector<Group>& groups, const LedgerMaker& maker) {
  std::vector<GroupLedger> entries;
  for (const Group& group : groups)
    if (const auto ledger = maker.ledger(group.generations)) entries.push_back({&group, *ledger});
  return entries;
}

const GroupLedger* shown_ledger(const FigureData& data, const std::vector<GroupLedger>& ledgers) {
  const auto find = [&](const Group* group) {
    const auto found = std::ranges::find(ledgers, group, &GroupLedger::group);
    return found == ledgers.end() ? nullptr : &*found;
  };
  const PilotChoice* lowest = nullptr;
  const std::vector<PilotChoice> choices = pilot_choices(data.pooled);
  for (const PilotChoice& choice : choices)
    if (lowest == nullptr || choice.chosen->axes.temperature < lowest->chosen->axes.temperature)
      lowest = &choice;
  if (lowest != nullptr && !lowest->chosen->axes.is_plain()) return find(lowest->chosen);
  const auto drafts = std::ranges::find_if(
      ledgers, [](const GroupLedger& entry) { return !entry.group->axes.is_plain(); });
  return drafts == ledgers.end() ? nullptr : &*drafts;
}

std::string ledger_section_html(const FigureData& data, const RunLedgers& ledgers) {
  if (ledgers.pooled.empty()) return "";
  std::vector<TableColumn> columns{
      {"model", true}, {"drafter", true}, {"temperature"}, {"predicted"}, {"measured"}};
  for (const Cause cause : kCauses) columns.push_back({words_of(cause)});
  columns.push_back({"largest reasons", true});
  std::vector<std::vector<TableEntry>> rows;
  for (const GroupLedger& entry : ledgers.pooled) rows.push_back(row(data, entry));
  const GroupLedger* shown = shown_ledger(data, ledgers.pooled);
  return "<section><h2>Reasons for the difference from the prediction</h2>\n" +
         (shown ? sentence(data, *shown) : "") + unexplained(ledgers.of_cells()) + kLedgerNote +
         sortable_table_html(columns, rows) + "</section>\n";
}

std::string ledger_csv(const RunLedgers& ledgers) {
  std::vector<std::string> names{"category",    "model",     "drafter",
                                 "tree",        "policy",    "verifier",
                                 "temperature", "n_prompts", "predicted_walltime_ns",
                                 "walltime_ns"};
  for (const Cause cause : kCauses)
    for (const char* end : {"_ns", "_ns_low", "_ns_high"})
      names.push_back(to_string(cause) + std::string(end));
  CsvWriter csv(std::vector<std::string_view>(names.begin(), names.end()));
  for (const GroupLedger& entry : ledgers.pooled) write_row(csv, entry);
  const bool same =
      ledgers.by_category.size() == ledgers.pooled.size();  // one category: nothing was pooled
  for (const GroupLedger& entry : ledgers.by_category)
    if (!same) write_row(csv, entry);
  return csv.content();
}

}  // namespace speclab::analysis
