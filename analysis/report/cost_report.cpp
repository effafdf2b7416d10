#include "analysis/report/cost_report.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "analysis/plots/figure_text.h"
#include "analysis/report/document.h"
#include "analysis/report/html.h"

namespace speclab::analysis {
namespace {

constexpr std::int64_t kMostRowsOfAnswer = 8;  // a chain of seven drafts, about where drafting stops paying on a CPU

std::string text_cell(const std::string& text) {
  return fmt::format("<td class=\"text\" data-value=\"{}\">{}</td>", html_escaped(text), html_escaped(text.empty() ? "–" : readable(text)));
}

std::string number_cell(double value, const std::string& shown) { return fmt::format("<td data-value=\"{}\">{}</td>", value, shown); }

std::string count_cell(std::int64_t count) { return number_cell(static_cast<double>(count), std::to_string(count)); }

std::string row_html(const CostRow& cost) {
  std::string html = "<tr>";
  for (const std::string* text : {&cost.kind, &cost.model, &cost.drafter, &cost.tree, &cost.regime}) html += text_cell(*text);
  html += count_cell(cost.rows) + count_cell(cost.context) + number_cell(cost.ns.value, with_interval(cost.ns, 1e-6)) + count_cell(static_cast<std::int64_t>(cost.ns.n));
  return html + "</tr>\n";
}

std::string table_html(const std::vector<CostRow>& costs) {
  std::string html = "<div class=\"scroll\"><table class=\"cells\"><thead><tr>";
  for (const char* title : {"kind", "model", "drafter", "tree", "regime"})
    html += fmt::format("<th data-sortable scope=\"col\" class=\"text\"><button type=\"button\">{}</button></th>", title);
  for (const char* title : {"rows", "context", "ms", "timings"})
    html += fmt::format("<th data-sortable scope=\"col\"><button type=\"button\">{}</button></th>", title);
  html += "</tr></thead><tbody>\n";
  for (const CostRow& cost : costs) html += row_html(cost);
  return html + "</tbody></table></div>";
}

constexpr const char* kTableNote =
    "<p class=\"note\">Medians; in brackets: 95 % intervals, where there are at least 6 timings. Rows are, by kind: target, rows of a forward; draft, levels "
    "drafted; overhead, rows of the round's forward; prefill, prompt tokens (with a drafter: what its first draft costs on top). Click a heading to sort.</p>\n";

/// Times of a model's forwards at its longest context, by rows.
std::map<std::int64_t, double> forwards_at_longest_context(const std::vector<CostRow>& costs, const std::string& model) {
  std::map<std::int64_t, std::map<std::int64_t, double>> by_context;
  for (const CostRow& cost : costs)
    if (cost.kind == "target" && cost.model == model) by_context[cost.context][cost.rows] = cost.ns.value;
  return by_context.empty() ? std::map<std::int64_t, double>{} : by_context.rbegin()->second;
}

std::string sentence(const std::string& model, const std::map<std::int64_t, double>& ns_of_rows) {
  const auto one = ns_of_rows.find(1);
  auto wide = ns_of_rows.upper_bound(kMostRowsOfAnswer);
  if (one == ns_of_rows.end() || wide == ns_of_rows.begin() || (--wide)->first == 1) return "";
  return fmt::format("A forward of {} of {} rows takes {:.2f} times as long as one of a single row ({:.2f} ms). ", model, wide->first, wide->second / one->second,
                     one->second * 1e-6);
}

}  // namespace

std::string cost_answer(const std::vector<CostRow>& costs) {
  std::set<std::string> said;
  std::string answer;
  for (const CostRow& cost : costs)
    if (said.insert(cost.model).second) answer += sentence(cost.model, forwards_at_longest_context(costs, cost.model));
  if (answer.empty()) return fmt::format("{} points of the cost surface were measured.", costs.size());
  answer.pop_back();
  return answer;
}

std::string cost_page_html(const CostPageContent& content, const std::string& plotly_js) {
  return document_html({.manifest = content.manifest,
                        .figures = content.figures,
                        .answer = content.answer,
                        .tables = "<section><h2>All points</h2>\n" + std::string(kTableNote) + table_html(content.costs) + "</section>\n"},
                       plotly_js);
}

}  // namespace speclab::analysis
