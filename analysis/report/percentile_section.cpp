#include "analysis/report/percentile_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "analysis/report/html.h"
#include "analysis/report/sortable_table.h"
#include "analysis/stats/percentile.h"

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

}  // namespace speclab::analysis
