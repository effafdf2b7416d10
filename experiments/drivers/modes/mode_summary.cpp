#include "experiments/drivers/modes/mode_summary.h"

#include <algorithm>
#include <map>

#include "analysis/stats/bootstrap.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// Rows of one case by their prompt.
using CaseRows = std::map<std::string, const analysis::ModeRow*>;

CaseRows rows_of(const std::vector<analysis::ModeRow>& rows, const std::string& name) {
  CaseRows of_case;
  for (const analysis::ModeRow& row : rows)
    if (row.name == name) of_case[row.prompt] = &row;
  return of_case;
}

/// Sums over the rows of a case.
double total(const CaseRows& rows, auto&& quantity) {
  double sum = 0;
  for (const auto& [prompt, row] : rows) sum += static_cast<double>(quantity(*row));
  return sum;
}

/// All that needs no other case.
ModeSummary summary_of(const CaseRows& rows, analysis::Bootstrap& bootstrap) {
  const analysis::ModeRow& any = *rows.begin()->second;
  analysis::ClusterTotals rate;
  for (const auto& [prompt, row] : rows) rate.add(static_cast<double>(row->tokens), row->seconds);
  const double tokens = total(rows, [](const analysis::ModeRow& r) { return r.tokens; }),
               steps = total(rows, [](const analysis::ModeRow& r) { return r.steps; }),
               drafted = total(rows, [](const analysis::ModeRow& r) { return r.drafted; });
  ModeSummary summary{.name = any.name,
                      .keys = any.keys,
                      .mode = any.mode,
                      .tokens_per_s = bootstrap.ratio(rate),
                      .prompts = static_cast<int>(rows.size())};
  summary.predicted_tokens_per_s =
      tokens / total(rows, [](const analysis::ModeRow& r) { return r.predicted_seconds; });
  summary.tokens_per_step = tokens / steps;
  summary.rows_per_step = total(rows, [](const analysis::ModeRow& r) { return r.rows; }) / steps;
  if (drafted > 0)
    summary.accepted_fraction =
        total(rows, [](const analysis::ModeRow& r) { return r.accepted; }) / drafted;
  return summary;
}

void compare(const CaseRows& own, const CaseRows& first, analysis::Bootstrap& bootstrap,
             ModeSummary& summary) {
  analysis::ClusterTotals times;
  double predicted_first = 0, predicted_own = 0;
  for (const auto& [prompt, row] : own) {
    const auto partner = first.find(prompt);
    if (partner == first.end() || own.size() != first.size())
      throw DataError("case '" + escaped(summary.name, 60) +
                      "' has other prompts than the first case; allowed: the same");
    const analysis::ModeRow& plain = *partner->second;
    times.add(plain.seconds / static_cast<double>(plain.tokens),
              row->seconds / static_cast<double>(row->tokens));
    predicted_first += plain.predicted_seconds / static_cast<double>(plain.tokens);
    predicted_own += row->predicted_seconds / static_cast<double>(row->tokens);
    summary.same_texts += row->output_hash == plain.output_hash ? 1 : 0;
  }
  summary.speedup = bootstrap.ratio(times);
  summary.predicted_speedup = predicted_first / predicted_own;
}

}  // namespace

std::vector<ModeSummary> summarise(const std::vector<analysis::ModeRow>& rows,
                                   const std::string& first) {
  analysis::Bootstrap bootstrap(1);
  const CaseRows first_rows = rows_of(rows, first);
  if (first_rows.empty()) throw DataError("no rows of the case '" + escaped(first, 60) + "'");
  std::vector<ModeSummary> summaries;
  for (const analysis::ModeRow& row : rows) {
    if (std::ranges::find(summaries, row.name, &ModeSummary::name) != summaries.end()) continue;
    const CaseRows own = rows_of(rows, row.name);
    summaries.push_back(summary_of(own, bootstrap));
    if (row.name != first) compare(own, first_rows, bootstrap, summaries.back());
  }
  return summaries;
}

}  // namespace speclab::experiments
