#pragma once
#include <string>

#include "analysis/plots/figures.h"

namespace speclab::analysis {

/// A table of the acceptance processes fitted to the chains of the lowest temperature; empty where
/// there is none to fit.
std::string process_section_html(const FigureData& data);

}  // namespace speclab::analysis
