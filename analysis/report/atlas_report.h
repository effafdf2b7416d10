#pragma once
#include <string>
#include <vector>

#include "analysis/plots/figure.h"
#include "analysis/tables/atlas.h"
#include "analysis/tables/manifest.h"

namespace speclab::analysis {

struct AtlasPageContent {
  const Manifest& manifest;
  const std::vector<AtlasRow>& rows;
  const std::vector<Figure>& figures;
  std::string answer;
};

/// The page of a rule atlas: figures, every count in a table, provenance.
std::string atlas_page_html(const AtlasPageContent& content, const std::string& plotly_js);

/// Which rule keeps most, and whether the counts fit their exact laws.
std::string atlas_answer(const std::vector<AtlasRow>& rows);

}  // namespace speclab::analysis
