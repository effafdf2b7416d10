#include "experiments/drivers/config/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

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
  std::optional<std::string> text;
  for_each_axis([&](std::string_view name, auto, auto field) {
    if (axis == name) text = axis_text(setting.*field);
  });
  SPECLAB_EXPECT(text.has_value(), "no axis " + std::string(axis));
  return *text;
}

const std::vector<std::string>& axis_names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for_each_axis([&](const char* name, auto, auto) { names.emplace_back(name); });
    return names;
  }();
  return all;
}

std::vector<Setting> Axes::plain_settings() const {
  std::vector<Setting> settings{{.drafter = "none"}};
  const auto vary = [&](const auto& values, auto field) {
    std::vector<Setting> varied;
    for (const Setting& setting : settings)
      for (const auto& value : values) {
        varied.push_back(setting);
        varied.back().*field = value;
      }
    settings = std::move(varied);
  };
  vary(model, &Setting::model);
  vary(weights, &Setting::weights);
  vary(activations, &Setting::activations);
  vary(temperature, &Setting::temperature);
  vary(batch, &Setting::batch);
  vary(generation, &Setting::generation);
  return settings;
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
  for (Setting point : axes.plain_settings()) {
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
  double plain = 1;
  for (const std::size_t values :
       {axes.model.size(), axes.weights.size(), axes.activations.size(), axes.temperature.size(),
        axes.batch.size(), axes.generation.size()})
    plain *= static_cast<double>(values);
  return plain * (1 + rivals);
}

}  // namespace speclab::experiments
