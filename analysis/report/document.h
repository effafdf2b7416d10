#pragma once
#include <string>
#include <vector>

#include "analysis/plots/figure.h"
#include "analysis/tables/manifest.h"

namespace speclab::analysis {

/// What every report has, whatever kind of run it shows.
struct DocumentContent {
  const Manifest& manifest;
  const std::vector<Figure>& figures;
  std::string answer;          ///< the sentence that opens the page
  std::string under_answer{};  ///< HTML: facts and notes
  std::string tables;          ///< HTML: sections between the figures and the provenance
};

/// The whole page as one HTML text. @param plotly_js  source text of plotly.js
std::string document_html(const DocumentContent& content, const std::string& plotly_js);

/// page/style.css and page/script.js, compiled in.
extern const char* const kPageStyle;
extern const char* const kPageScript;

}  // namespace speclab::analysis
