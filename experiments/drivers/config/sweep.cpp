#include "experiments/drivers/config/sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/drivers/config/named_drafters.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// Whether the point has the row's value on every axis of the selection that applies to it. Plain
/// decoding is the baseline of every drafter's row.
bool agrees(const AxisSelection& zip, std::size_t row, const Setting& point) {
  return std::ranges::all_of(zip, [&](const auto& values_of_axis) {
    const auto& [axis, values] = values_of_axis;
    const std::string value = axis_text(point, axis);
    return value.empty() || value == "none" || values[row] == value;
  });
}

bool is_among_rows(const AxisSelection& zip, const Setting& point) {
  for (std::size_t row = 0; row < zip.begin()->second.size(); ++row)
    if (agrees(zip, row, point)) return true;
  return false;
}

}  // namespace

std::string axis_text(double value) { return fmt::format("{}", value); }

std::string axis_text(const Setting& setting, std::string_view axis) {
  if (axis == "temperature") return axis_text(setting.temperature);
  for (const auto& [name, member] : {std::pair{"model", &Setting::model},
                                     {"drafter", &Setting::drafter},
                                     {"tree", &Setting::tree},
                                     {"policy", &Setting::policy},
                                     {"verifier", &Setting::verifier}})
    if (axis == name) return setting.*member;
  throw_contract_error("an axis", __FILE__, __LINE__, "no axis " + std::string(axis));
}

Sweep::Sweep(const RunConfig& config) : config_(config) {
  for (const NamedDrafter& drafter : all_drafters(config))
    if (follows_tree_axis(drafter)) tree_drafters_.insert(drafter.name);
}

Setting Sweep::point(const Setting& setting) const {
  if (setting.is_plain()) return setting.plain();
  Setting point = setting;
  if (!tree_drafters_.contains(point.drafter)) point.tree = "";
  return point;
}

bool Sweep::is_zipped(const Setting& point) const {
  return std::ranges::all_of(config_.zips,
                             [&](const AxisSelection& zip) { return is_among_rows(zip, point); });
}

bool Sweep::is_excluded_by(std::size_t exclusion, const Setting& point) const {
  return std::ranges::all_of(config_.exclusions[exclusion], [&](const auto& values_of_axis) {
    const auto& [axis, values] = values_of_axis;
    return std::ranges::find(values, axis_text(point, axis)) != values.end();
  });
}

bool Sweep::holds(const Setting& point) const {
  for (std::size_t i = 0; i < config_.exclusions.size(); ++i)
    if (is_excluded_by(i, point)) return false;
  return is_zipped(point);
}

std::vector<std::string> Sweep::trees_of(const std::string& drafter) const {
  return tree_drafters_.contains(drafter) ? config_.axes.tree : std::vector<std::string>{""};
}

std::vector<Setting> Sweep::product() const {
  const Axes& axes = config_.axes;
  std::vector<Setting> points;
  for (const std::string& model : axes.model)
    for (const double temperature : axes.temperature) {
      Setting point{.model = model, .drafter = "none", .temperature = temperature};
      points.push_back(point);
      for (const std::string& drafter : axes.drafter) {
        if (drafter == "none") continue;
        point.drafter = drafter;
        for (const std::string& tree : trees_of(drafter))
          for (const std::string& verifier : axes.verifier)
            for (const std::string& policy : axes.policy) {
              point.tree = tree, point.verifier = verifier, point.policy = policy;
              points.push_back(point);
            }
      }
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
  return static_cast<double>(axes.model.size()) * static_cast<double>(axes.temperature.size()) *
         (1 + rivals);
}

}  // namespace speclab::experiments
