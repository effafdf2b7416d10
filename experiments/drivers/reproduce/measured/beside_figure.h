#pragma once
#include <string>

#include "analysis/plots/figure.h"
#include "analysis/stats/bootstrap.h"

namespace speclab::experiments {

/// Points of ours, filled with intervals, and theirs, hollow: a series each, in the order of first
/// mention.
class BesideFigure {
 public:
  BesideFigure(std::string id, std::string title, analysis::Axis x, std::string y,
               std::string caption);

  void add(const std::string& series, double x, const analysis::Estimate& ours);
  void add_theirs(const std::string& series, double x, double value);
  /// The axis goes from 0 to 1, for shares.
  void show_shares() { figure_.y.range = analysis::Interval{0, 1}; }
  /// The place of a name on an axis of names.
  double place(const std::string& name);
  analysis::Figure figure() const { return figure_; }

 private:
  analysis::Series& series(const std::string& name);

  analysis::Figure figure_;
};

}  // namespace speclab::experiments
