#pragma once
#include <string>
#include <vector>

#include "analysis/plots/figures.h"
#include "analysis/stats/cells.h"

namespace speclab::analysis {

/// A table of times as a reader meets them, until the first token and for a token of the decoding:
/// percentiles over prompts, each the mean of its generations. Where the prompts are too few for a
/// percentile, how many it needs stands in its place.
std::string percentile_section_html(const FigureData& data);

/// HTML: what choosing the drafter on pilots gave, a row a model and sampling setting. Empty if
/// nothing was predicted.
std::string choice_section_html(const FigureData& data);

/// A table of the acceptance processes fitted to the chains of the lowest temperature; empty where
/// there is none to fit.
std::string process_section_html(const FigureData& data);

/// The sortable table of all cells; settings that are the same everywhere are left out.
std::string cell_table_html(const std::vector<CellSummary>& cells);

}  // namespace speclab::analysis
