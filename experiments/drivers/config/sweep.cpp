#include "experiments/drivers/config/sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/drivers/config/named_drafters.h"

namespace speclab::experiments {
namespace {

/// Whether the point has the row's value on every axis of the selection that applies to it. Plain
/// decoding is the baseline of every drafter's row.
bool agrees(const AxisSelection& zip, std::size_t row, const SweepPoint& point) {
  for (std::size_t axis = 0; axis < kAxisNames.size(); ++axis)
    if (const auto values = zip.find(kAxisNames[axis]);
        values != zip.end() && !point[axis].empty() && point[axis] != "none" &&
        values->second[row] != point[axis])
      return false;
  return true;
}

bool is_among_rows(const AxisSelection& zip, const SweepPoint& point) {
  for (std::size_t row = 0; row < zip.begin()->second.size(); ++row)
    if (agrees(zip, row, point)) return true;
  return false;
}

}  // namespace

std::string axis_text(double value) { return fmt::format("{}", value); }

Sweep::Sweep(const RunConfig& config) : config_(config) {
  for (const NamedDrafter& drafter : all_drafters(config))
    if (follows_tree_axis(drafter)) tree_drafters_.insert(drafter.name);
}

SweepPoint Sweep::point(const std::string& model, double temperature, const std::string& drafter,
                        const std::string& tree, const std::string& policy,
                        const std::string& verifier) const {
  if (drafter == "none") return {model, axis_text(temperature), drafter, "", "", ""};
  return {model,   axis_text(temperature),
          drafter, tree_drafters_.contains(drafter) ? tree : "",
          policy,  verifier};
}

bool Sweep::is_zipped(const SweepPoint& point) const {
  return std::ranges::all_of(config_.zips,
                             [&](const AxisSelection& zip) { return is_among_rows(zip, point); });
}

bool Sweep::is_excluded_by(std::size_t exclusion, const SweepPoint& point) const {
  const AxisSelection& selection = config_.exclusions[exclusion];
  for (std::size_t axis = 0; axis < kAxisNames.size(); ++axis)
    if (const auto values = selection.find(kAxisNames[axis]);
        values != selection.end() &&
        std::ranges::find(values->second, point[axis]) == values->second.end())
      return false;
  return true;
}

bool Sweep::holds(const SweepPoint& point) const {
  for (std::size_t i = 0; i < config_.exclusions.size(); ++i)
    if (is_excluded_by(i, point)) return false;
  return is_zipped(point);
}

std::vector<std::string> Sweep::trees_of(const std::string& drafter) const {
  return tree_drafters_.contains(drafter) ? config_.axes.tree : std::vector<std::string>{""};
}

std::vector<SweepPoint> Sweep::product() const {
  const Axes& axes = config_.axes;
  std::vector<SweepPoint> points;
  for (const std::string& model : config_.models)
    for (const double temperature : axes.temperature) {
      points.push_back(point(model, temperature, "none", "", "", ""));
      for (const std::string& drafter : axes.drafter)
        for (const std::string& tree :
             drafter == "none" ? std::vector<std::string>{} : trees_of(drafter))
          for (const std::string& verifier : axes.verifier)
            for (const std::string& policy : axes.policy)
              points.push_back(point(model, temperature, drafter, tree, policy, verifier));
    }
  return points;
}

double Sweep::product_size() const {
  double draftings = 0;
  for (const std::string& drafter : config_.axes.drafter)
    draftings += drafter == "none" ? 0.0 : static_cast<double>(trees_of(drafter).size());
  const Axes& axes = config_.axes;
  const double rivals = draftings * static_cast<double>(axes.verifier.size()) *
                        static_cast<double>(axes.policy.size());
  return static_cast<double>(config_.models.size()) * static_cast<double>(axes.temperature.size()) *
         (1 + rivals);
}

}  // namespace speclab::experiments
