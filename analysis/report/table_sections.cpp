#include "analysis/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "analysis/plots/figure_series.h"
#include "analysis/report/html.h"
#include "analysis/stats/groups.h"
#include "analysis/stats/intervals.h"
#include "analysis/stats/process_table.h"

namespace speclab::analysis {
namespace {

constexpr std::array kProbabilities = {0.5, 0.9, 0.99};
constexpr double kNsPerMs = 1e6;

constexpr const char* kPercentileNote =
    "<p class=\"note\">Percentiles over prompts; each prompt counts with the mean of its "
    "generations, because generations of one prompt are not independent. After ≤ stands an order "
    "statistic that the true percentile does not exceed, with 99 % confidence. A percentile that "
    "needs more prompts is not shown.</p>\n";

/// Means by prompt of what a generation has.
template <typename Quantity>
std::vector<double> means_by_prompt(const Generations& generations, Quantity quantity) {
  std::map<std::string, std::pair<double, double>> sums;
  for (const Generation* g : generations) {
    sums[g->prompt_id].first += quantity(*g);
    sums[g->prompt_id].second += 1;
  }
  std::vector<double> means;
  for (const auto& [prompt, sum] : sums) means.push_back(sum.first / sum.second);
  return means;
}

double first_token_ms(const Generation& g) {
  return static_cast<double>(g.time_to_first_token_ns) / kNsPerMs;
}

/// Decoding time over the tokens that it emitted.
double token_ms(const Generation& g) {
  return static_cast<double>(g.decode_ns) / static_cast<double>(g.output_tokens) / kNsPerMs;
}

TableEntry entry(const std::vector<double>& values, double probability) {
  const Percentile p = percentile(values, probability);
  if (!p.value) return {.html = "<small>" + html_escaped(p.reason) + "</small>", .key = ""};
  const std::string value = estimate_text({.value = *p.value, .n = 1}).value,
                    bound = estimate_text({.value = *p.at_most, .n = 1}).value;
  return {.html = fmt::format("{} <small>≤ {}</small>", value, bound),
          .key = fmt::format("{}", *p.value)};
}

std::vector<TableEntry> row(const FigureData& data, const Group& group) {
  std::vector<TableEntry> entries{text_entry(group.axes.model),
                                  text_entry(line_name(data.pooled, group)),
                                  setting_entry(group.axes.temperature),
                                  setting_entry(static_cast<double>(group.summary.n_prompts))};
  for (const auto quantity : {first_token_ms, token_ms}) {
    const std::vector<double> values = means_by_prompt(group.generations, quantity);
    for (const double probability : kProbabilities) entries.push_back(entry(values, probability));
  }
  return entries;
}

/// Whether some prompts suffice for a percentile.
bool bears_any(const FigureData& data) {
  return std::ranges::any_of(data.pooled, [](const Group& group) {
    const std::vector<double> values = means_by_prompt(group.generations, first_token_ms);
    return std::ranges::any_of(kProbabilities, [&](double probability) {
      return percentile(values, probability).value.has_value();
    });
  });
}

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

struct Column : TableColumn {
  std::function<TableEntry(const CellSummary&)> entry;
};

std::vector<Column> axis_columns() {
  const auto text = [](const std::string Setting::* member) {
    return [member](const CellSummary& c) { return text_entry(c.axes.*member); };
  };
  return {{{"model", true}, text(&Setting::model)},
          {{"drafter", true},
           [](const CellSummary& c) {
             return text_entry(c.axes.is_plain() ? "plain decoding" : c.axes.drafter);
           }},
          {{"tree", true}, text(&Setting::tree)},
          {{"policy", true}, text(&Setting::policy)},
          {{"verifier", true}, text(&Setting::verifier)},
          {{"temperature", false},
           [](const CellSummary& c) { return setting_entry(c.axes.temperature); }},
          {{"top-k", false},
           [](const CellSummary& c) { return setting_entry(static_cast<double>(c.axes.top_k)); }},
          {{"top-p", false}, [](const CellSummary& c) { return setting_entry(c.axes.top_p); }},
          {{"min-p", false}, [](const CellSummary& c) { return setting_entry(c.axes.min_p); }},
          {{"repetition penalty", false},
           [](const CellSummary& c) { return setting_entry(c.axes.repetition_penalty); }},
          {{"prompts of", true}, [](const CellSummary& c) { return text_entry(c.category); }}};
}

std::string interval_of(const Prediction& prediction) {
  return prediction.speedup_interval
             ? fmt::format("{:.2f} to {:.2f}", prediction.speedup_interval->low,
                           prediction.speedup_interval->high)
             : "";
}

const Column kCellValues[] = {
    {{"prompts", false},
     [](const CellSummary& c) { return setting_entry(static_cast<double>(c.summary.n_prompts)); }},
    {{"generations", false},
     [](const CellSummary& c) { return setting_entry(static_cast<double>(c.summary.n_rows)); }},
    {{"walltime, ms", false},
     [](const CellSummary& c) { return estimate_entry(c.summary.walltime_ns, 1e-6); }},
    {{"predicted, ms", false},
     [](const CellSummary& c) { return value_entry(c.summary.prediction.walltime_ns, 1e-6); }},
    {{"off by, %", false},
     [](const CellSummary& c) { return value_entry(c.prediction_error(), 100, 2); }},
    {{"at the measured pace, ms", false},
     [](const CellSummary& c) {
       return value_entry(c.summary.prediction.paced_walltime_ns, 1e-6);
     }},
    {{"then off by, %", false},
     [](const CellSummary& c) { return value_entry(c.paced_prediction_error(), 100, 2); }},
    {{"speed-up", false}, [](const CellSummary& c) { return estimate_entry(c.summary.speedup); }},
    {{"decoding alone", false},
     [](const CellSummary& c) { return estimate_entry(c.summary.decoding_speedup); }},
    {{"median pair", false},
     [](const CellSummary& c) { return estimate_entry(c.summary.pair_speedup); }},
    {{"speed-up predicted", false},
     [](const CellSummary& c) { return value_entry(c.summary.prediction.speedup); }},
    {{"predicted interval, 95 %", true},
     [](const CellSummary& c) { return text_entry(interval_of(c.summary.prediction)); }},
    {{"tokens per round", false},
     [](const CellSummary& c) { return estimate_entry(c.summary.tokens_per_round); }},
    {{"acceptance rate", false},
     [](const CellSummary& c) { return estimate_entry(c.summary.acceptance_rate); }},
    {{"law off by", false},
     [](const CellSummary& c) { return value_entry(c.summary.law_distance); }},
    {{"rounds that draft, %", false},
     [](const CellSummary& c) { return value_entry(c.summary.drafting_fraction, 100); }},
    {{"MB read a token", false},
     [](const CellSummary& c) { return value_entry(c.summary.bytes_per_token, 1e-6); }},
    {{"J a token", false},
     [](const CellSummary& c) { return value_entry(c.summary.joules_per_token); }}};

bool varies(const Column& column, const std::vector<CellSummary>& cells) {
  std::set<std::string> values;
  for (const auto& cell : cells) values.insert(column.entry(cell).key);
  values.erase("");
  return values.size() > 1;
}

std::vector<Column> shown_columns(const std::vector<CellSummary>& cells) {
  std::vector<Column> columns = axis_columns();
  std::erase_if(columns, [&](const Column& column) {
    return column.title != "drafter" && !varies(column, cells);
  });
  const auto any = [&](const std::optional<double> GroupSummary::* value) {
    return std::ranges::any_of(
        cells, [=](const CellSummary& c) { return (c.summary.*value).has_value(); });
  };
  const std::map<std::string, bool> is_shown{
      {"law off by", any(&GroupSummary::law_distance)},
      {"MB read a token", any(&GroupSummary::bytes_per_token)},
      {"J a token", any(&GroupSummary::joules_per_token)}};
  for (const Column& column : kCellValues)
    if (const auto rare = is_shown.find(column.title); rare == is_shown.end() || rare->second)
      columns.push_back(column);
  return columns;
}

}  // namespace

std::string percentile_section_html(const FigureData& data) {
  std::vector<TableColumn> columns{
      {"model", true}, {"drafter", true}, {"temperature"}, {"prompts"}};
  for (const char* quantity : {"first token", "a token"})
    for (const double probability : kProbabilities)
      columns.push_back({fmt::format("{}, ms, p{:.0f}", quantity, 100 * probability)});
  std::vector<std::vector<TableEntry>> rows;
  for (const Group& group : data.pooled) rows.push_back(row(data, group));
  const std::string title = "<section><h2>How long a reader waits</h2>\n";
  if (!bears_any(data))
    return title + fmt::format(
                       "<p class=\"note\">This run has too few prompts for a percentile with 99 % "
                       "confidence; the median needs {}.</p></section>\n",
                       least_samples(kProbabilities.front()));
  return title + kPercentileNote + sortable_table_html(columns, rows) + "</section>\n";
}

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

std::string cell_table_html(const std::vector<CellSummary>& cells) {
  const auto columns = shown_columns(cells);
  std::vector<std::vector<TableEntry>> rows;
  for (const auto& cell : cells) {
    rows.emplace_back();
    for (const auto& column : columns) rows.back().push_back(column.entry(cell));
  }
  return sortable_table_html({columns.begin(), columns.end()}, rows);
}

}  // namespace speclab::analysis
