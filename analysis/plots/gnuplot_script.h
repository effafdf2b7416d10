#pragma once
#include <string>

#include "analysis/plots/figure.h"

namespace speclab::analysis {

/// The gnuplot program that draws `figure` into a PDF file.
std::string gnuplot_script(const Figure& figure, const std::string& pdf_path);

}  // namespace speclab::analysis
