#include "experiments/drivers/reproduce/measured/beside_figure.h"

#include <algorithm>

namespace speclab::experiments {

BesideFigure::BesideFigure(std::string id, std::string title, analysis::Axis x, std::string y,
                           std::string caption)
    : figure_{.id = std::move(id),
              .title = std::move(title),
              .caption = std::move(caption),
              .x = std::move(x),
              .y = {.label = std::move(y)}} {
  if (!figure_.x.names.empty() || figure_.x.label.empty())
    figure_.kind = analysis::FigureKind::marks;
}

analysis::Series& BesideFigure::series(const std::string& name) {
  auto found = std::ranges::find(figure_.series, name, &analysis::Series::name);
  if (found == figure_.series.end())
    found = figure_.series.insert(found, {.name = name, .colour = figure_.series.size() + 1});
  return *found;
}

void BesideFigure::add(const std::string& name, double x, const analysis::Estimate& ours) {
  series(name).points.push_back({.x = x, .y = ours.value, .interval = ours.interval});
}

void BesideFigure::add_theirs(const std::string& name, double x, double value) {
  series(name).points.push_back({.x = x, .y = value, .mark = analysis::Mark::hollow});
}

double BesideFigure::place(const std::string& name) {
  auto found = std::ranges::find(figure_.x.names, name);
  if (found == figure_.x.names.end()) found = figure_.x.names.insert(found, name);
  return static_cast<double>(found - figure_.x.names.begin());
}

}  // namespace speclab::experiments
