#pragma once
// How estimates, and groups of a run, become the series of a figure.

#include <functional>
#include <optional>
#include <vector>

#include "analysis/plots/figures.h"

namespace speclab::analysis {

Point make_point(double x, const Estimate& estimate, Mark mark = Mark::filled);

/// Figures of a quantity, without an x axis and its lines.
Figure speedup_frame(const std::string& id);
Figure tokens_per_round_frame(const std::string& id);

/// The series of that name; where there is none yet, one of the next colour.
Series& series_named(Figure& figure, const std::string& name);
/// The place of a name on an axis of names, which takes it where it is new.
double place_named(Axis& axis, const std::string& name);

/// The quantity that a figure shows of each group.
struct Shown {
  std::function<double(const Group&)> x{};
  std::function<std::optional<Estimate>(const GroupSummary&)> measured;
  std::function<std::optional<double>(const Prediction&)> predicted;
  std::function<Mark(const Group&)> mark = [](const Group& group) {
    return group.summary.is_lossy() ? Mark::hollow : Mark::filled;
  };
  const char* prediction_basis = "predicted from pilot prompts";
  std::function<std::optional<Interval>(const Prediction&)>
      predicted_interval{};  ///< of what will be measured, drawn at places; empty: such intervals
                             ///< are not made for this quantity
};

/// Of a quantity that the pilots predicted, where a line has one point only: a place a line on the
/// x axis, a series of what was measured and one of what was predicted.
void add_places(const std::vector<Line>& lines, const Shown& shown, Figure& figure);

/// Adds a series a line, and to the caption what is dashed and what the intervals are.
void add_lines(const std::vector<Line>& lines, const Shown& shown, Figure& figure);

std::vector<const Group*> groups_of(const std::vector<Line>& lines);
/// The lines of the model that figures over other axes show.
std::vector<Line> primary_lines(const FigureData& data);
bool has_one_point_a_line(const std::vector<Line>& lines);
/// @throws ContractError if there is no line
double lowest_temperature(const std::vector<Line>& lines);
std::vector<Line> at_temperature(const std::vector<Line>& lines, double temperature);

}  // namespace speclab::analysis
