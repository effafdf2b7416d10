#pragma once
#include <string>
#include <vector>

#include "analysis/plots/figure.h"
#include "analysis/stats/drafter_acceptance.h"
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

}  // namespace speclab::analysis
