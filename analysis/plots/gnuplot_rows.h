#pragma once
#include <string>

#include "analysis/plots/figure.h"

namespace speclab::analysis {

/// The gnuplot program of a figure whose places have long names, drawn in rows: names on the left,
/// values to the right.
std::string script_in_rows(const Figure& figure, const std::string& pdf_path);

}  // namespace speclab::analysis
