#pragma once
// Parts of the figures that rebuild those of the papers.

#include <string>
#include <vector>

#include "analysis/plots/figure.h"

namespace speclab::experiments {

/// A vertex of a line, without a mark.
analysis::Point vertex(double x, double y);
/// A number of the paper.
analysis::Point paper_point(double x, double y);

/// Our curve without marks and the paper's points on it, in the order of x.
analysis::Series curve(std::string name, std::size_t colour, std::vector<analysis::Point> points);

analysis::Axis axis(std::string label, double low, double high);

/// Values from low to high, both included.
std::vector<double> steps(double low, double high, int count);

}  // namespace speclab::experiments
