#include "analysis/report/cost_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "analysis/report/document.h"
#include "analysis/report/sortable_table.h"
#include "analysis/stats/broken_line.h"
#include "analysis/stats/line_fit.h"

namespace speclab::analysis {
namespace {

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

/// What a row costs, and from where on another amount.
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

}  // namespace

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

std::string cost_page_html(const CostPageContent& content, const std::string& plotly_js) {
  return document_html({.manifest = content.manifest,
                        .figures = content.figures,
                        .answer = content.answer,
                        .tables = "<section><h2>All points</h2>\n" + std::string(kCostTableNote) +
                                  table_html(content.costs) + "</section>\n"},
                       plotly_js);
}

}  // namespace speclab::analysis
