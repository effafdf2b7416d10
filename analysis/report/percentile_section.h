#pragma once
#include <string>

#include "analysis/plots/figures.h"

namespace speclab::analysis {

/// A table of times as a reader meets them, until the first token and for a token of the decoding:
/// percentiles over prompts, each the mean of its generations. Where the prompts are too few for a
/// percentile, how many it needs stands in its place.
std::string percentile_section_html(const FigureData& data);

}  // namespace speclab::analysis
