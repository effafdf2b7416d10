#pragma once
#include <string>

#include "analysis/plots/figure.h"

namespace speclab::analysis {

/// Draws `figure` as FOLDER/ID.pdf and makes ID.png (150 dpi) and ID.svg from it, so that the three agree.
/// They are drawn under a scratch name and put in place when all are whole: what stood there before stays if drawing fails.
/// @throws WriteError with the message of gnuplot, pdftocairo or the system
void draw_static(const Figure& figure, const std::string& folder);

}  // namespace speclab::analysis
