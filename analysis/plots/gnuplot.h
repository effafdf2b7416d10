#pragma once
#include <string>

#include "analysis/plots/figure.h"

namespace speclab::analysis {

/// Draws `figure` as FOLDER/ID.pdf and makes ID.png (150 dpi) and ID.svg from it, so that the three agree.
/// All three or none: what is half-written is removed.
/// @throws WriteError with the message of gnuplot or pdftocairo
void draw_static(const Figure& figure, const std::string& folder);

}  // namespace speclab::analysis
