#pragma once
#include <string>
#include <vector>

#include "analysis/plots/figure.h"
#include "analysis/tables/costs.h"
#include "analysis/tables/manifest.h"

namespace speclab::analysis {

struct CostPageContent {
  const Manifest& manifest;
  const std::vector<CostRow>& costs;
  const std::vector<Figure>& figures;
  std::string answer;
};

/// The page of a run that measured costs alone: figures, every point in a table, provenance.
std::string cost_page_html(const CostPageContent& content, const std::string& plotly_js);

/// What a wider forward costs: per model at the longest context, t(rows) / t(1) for the most rows
/// up to 8; of six points or more, what a row costs and from where on another amount.
std::string cost_answer(const std::vector<CostRow>& costs);

}  // namespace speclab::analysis
