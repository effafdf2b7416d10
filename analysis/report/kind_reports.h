#pragma once
// The pages of runs that measure no walltime of generations: acceptance, rule atlas and costs.

#include <string>
#include <vector>

#include "analysis/plots/figure.h"
#include "analysis/stats/drafter_acceptance.h"
#include "analysis/tables/atlas.h"
#include "analysis/tables/costs.h"
#include "analysis/tables/manifest.h"

namespace speclab::analysis {

struct AcceptancePageContent {
  const Manifest& manifest;
  const std::vector<DrafterAcceptance>& pooled;
  const std::vector<DrafterAcceptance>& by_category;
  const std::vector<Figure>& figures;
  std::string answer;
};

/// The page of an experiment of kind drafter_acceptance: figures, tables by drafter and by depth,
/// provenance.
std::string acceptance_page_html(const AcceptancePageContent& content,
                                 const std::string& plotly_js);

/// The drafters by acceptance at each temperature.
std::string acceptance_answer(const std::vector<DrafterAcceptance>& pooled);

struct AtlasPageContent {
  const Manifest& manifest;
  const std::vector<AtlasRow>& rows;
  const std::vector<Figure>& figures;
  std::string answer;
};

/// The page of a rule atlas: figures, every count in a table, provenance.
std::string atlas_page_html(const AtlasPageContent& content, const std::string& plotly_js);

/// Names the rule that keeps most, and says whether the counts fit their exact laws.
std::string atlas_answer(const std::vector<AtlasRow>& rows);

struct CostPageContent {
  const Manifest& manifest;
  const std::vector<CostRow>& costs;
  const std::vector<Figure>& figures;
  std::string answer;
};

/// The page of a run that measured costs alone: figures, every point in a table, provenance.
std::string cost_page_html(const CostPageContent& content, const std::string& plotly_js);

/// Says for each model at the longest context t(rows) / t(1), for the most rows up to 8. From six
/// points on it adds the cost of a row, and the number of rows from which it is another.
std::string cost_answer(const std::vector<CostRow>& costs);

}  // namespace speclab::analysis
