#pragma once
#include <string>
#include <vector>

#include "analysis/plots/figure.h"

namespace speclab::analysis {

/// The figures and the palette as the JSON object that page/script.js draws.
std::string figures_json(const std::vector<Figure>& figures);

}  // namespace speclab::analysis
