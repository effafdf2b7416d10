#pragma once
#include <string>

#include "analysis/plots/figures.h"

namespace speclab::analysis {

/// HTML: what choosing the drafter on pilots gave, a row a model and sampling setting. Empty if
/// nothing was predicted.
std::string choice_section_html(const FigureData& data);

}  // namespace speclab::analysis
