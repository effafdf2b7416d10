#pragma once
// How groups of a run become the series of a figure.

#include <functional>
#include <optional>
#include <vector>

#include "analysis/plots/figures.h"

namespace speclab::analysis {

Estimate scaled(Estimate estimate, double factor);
Point make_point(double x, const Estimate& estimate, Mark mark);

/// The quantity that a figure shows of each group.
struct Shown {
  std::function<double(const Group&)> x;
  std::function<std::optional<Estimate>(const GroupSummary&)> measured;
  std::function<std::optional<double>(const Prediction&)> predicted;
  std::function<Mark(const Group&)> mark = [](const Group&) { return Mark::filled; };
  const char* prediction_note = " Dashed: predicted from pilot prompts.";
};

/// Adds a series a line, and to the caption what is dashed and what the intervals are.
void add_lines(const std::vector<Line>& lines, const Shown& shown, Figure& figure);

std::vector<const Group*> groups_of(const std::vector<Line>& lines);
/// The lines of the model that figures over other axes show.
std::vector<Line> primary_lines(const FigureData& data);
double lowest_temperature(const std::vector<Line>& lines);
std::vector<Line> at_temperature(const std::vector<Line>& lines, double temperature);

}  // namespace speclab::analysis
