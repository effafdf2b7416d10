#include <fmt/format.h>

#include <algorithm>

#include "experiments/drivers/reproduce/measured/closed_world.h"

namespace speclab::experiments {
namespace {

void add_training_rows(const ClosedWorld& world, Reproduction& result) {
  for (const TrainedDrafter& d : world.drafters()) {
    const std::string setting = "drafter=" + d.name;
    const auto add = [&](const char* quantity, double value) {
      result.rows.push_back({.setting = setting, .quantity = quantity, .ours = value});
    };
    add("parameters", d.parameters);
    add("training_tokens", static_cast<double>(d.training.tokens));
    add("held_out_loss", d.training.held_out_loss);
    add("held_out_next_token_probability", d.training.held_out_acceptance);
    add("held_out_agreement", d.training.held_out_agreement);
  }
}

void add_acceptance_rows(const ClosedWorld& world, Reproduction& result) {
  std::vector<std::string> categories = world.categories();
  categories.insert(categories.begin(), "all");
  for (const double temperature : ClosedWorld::kTemperatures)
    for (const std::string& category : categories)
      for (const TrainedDrafter& drafter : world.drafters())
        result.rows.push_back(measured(fmt::format("drafter={};temperature={};category={}",
                                                   drafter.name, temperature, category),
                                       "acceptance_rate",
                                       world.acceptance(drafter, temperature, category)));
}

void add_fit_rows(const ClosedWorld& world, Reproduction& result) {
  for (const double temperature : ClosedWorld::kTemperatures)
    for (const TrainingMetric& metric : training_metrics()) {
      const analysis::LineFit fit = world.fit(metric, temperature);
      const std::string setting = fmt::format("metric={};temperature={}", metric.name, temperature);
      result.rows.push_back(
          {.setting = setting, .quantity = "correlation_with_acceptance", .ours = fit.correlation});
      result.rows.push_back(
          {.setting = setting, .quantity = "rms_error_of_line", .ours = fit.rms_error});
    }
}

/// The metric whose line misses acceptance least.
std::string metric_remark(const ClosedWorld& world, double temperature) {
  const auto error = [&](const TrainingMetric& metric) {
    return world.fit(metric, temperature).rms_error;
  };
  const TrainingMetric& best = *std::ranges::min_element(training_metrics(), {}, error);
  return fmt::format(
      "temperature {}: of the figures of training, {} tells acceptance best: a straight line "
      "misses it by {:.3f} (root mean square over {} drafters); parameters alone by {:.3f}",
      temperature, best.name, error(best), world.drafters().size(),
      error(training_metrics().front()));
}

}  // namespace

Reproduction closed_world(const Papers&, const RunFolders& folders) {
  const ClosedWorld world(folders.at("closed_world"));
  Reproduction result;
  add_training_rows(world, result);
  add_acceptance_rows(world, result);
  add_fit_rows(world, result);
  result.figures = closed_world_figures(world);
  for (const double temperature : {0.0, 1.0})
    result.remarks.push_back(metric_remark(world, temperature));
  for (const double temperature : {0.0, 1.0}) add_fastest_sizes(world, temperature, result);
  return result;
}

}  // namespace speclab::experiments
