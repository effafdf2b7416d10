#pragma once
#include <string>
#include <vector>

#include "analysis/plots/figures.h"
#include "analysis/report/ledger_section.h"
#include "analysis/report/sections.h"
#include "analysis/stats/cells.h"
#include "analysis/tables/text_samples.h"

namespace speclab::analysis {

/// Everything that the report shows.
struct PageContent {
  const FigureData& data;
  const std::vector<CellSummary>& cells;
  const std::vector<Figure>& figures;
  const RunLedgers& ledgers;
  const std::vector<PolicyComparison>& policies;
  std::vector<DraftSample> drafts;  ///< of the prompt whose drafts are shown
  std::string answer;
  PredictionErrors prediction_errors;
};

/// The whole page as one HTML text. @param plotly_js  source text of plotly.js
std::string page_html(const PageContent& content, const std::string& plotly_js);

}  // namespace speclab::analysis
