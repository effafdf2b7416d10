#include "experiments/drivers/reproduce/measured/closed_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// @throws DataError as ClosedWorld
TrainedDrafter trained_drafter(const ObservedRun& run, const std::string& name) {
  const auto is_it = [&](const analysis::ModelProvenance& model) {
    return model.role == analysis::ModelRole::drafter && model.name == name;
  };
  if (std::ranges::count_if(run.manifest.models, is_it) != 1)
    throw DataError(
        fmt::format("the sweep's manifest.toml has {} drafters '{}', which rows name; allowed: "
                    "one; measure it again",
                    std::ranges::count_if(run.manifest.models, is_it), escaped(name)));
  const analysis::ModelProvenance& model = *std::ranges::find_if(run.manifest.models, is_it);
  if (!model.training)
    throw DataError(fmt::format(
        "the sweep's manifest.toml does not tell what '{}' learned from (training_tokens); train "
        "with scripts/closed_world and measure with the config in experiments/configs/papers",
        escaped(name)));
  return {name, static_cast<double>(model.parameters), *model.training};
}

/// @throws DataError as ClosedWorld
std::vector<TrainedDrafter> drafters_of(const ObservedRun& run) {
  constexpr std::size_t kFewest = 3;
  std::vector<TrainedDrafter> drafters;
  for (const analysis::DrafterAcceptance& cell : run.pooled)
    if (std::ranges::find(drafters, cell.axes.drafter, &TrainedDrafter::name) == drafters.end())
      drafters.push_back(trained_drafter(run, cell.axes.drafter));
  if (drafters.size() < kFewest)
    throw DataError(
        fmt::format("the sweep has {} drafters; allowed: at least {}; measure it with the config "
                    "in experiments/configs/papers",
                    drafters.size(), kFewest));
  return drafters;
}

std::vector<std::string> categories_of(const std::vector<analysis::DrafterAcceptance>& cells) {
  std::vector<std::string> names;
  for (const analysis::DrafterAcceptance& cell : cells)
    if (std::ranges::find(names, cell.category) == names.end()) names.push_back(cell.category);
  return names;
}

/// Whether the drafters differ in it.
bool differs(const std::vector<double>& values) {
  return std::ranges::adjacent_find(values, std::not_equal_to{}) != values.end();
}

constexpr auto kTrainedTokens = [](const TrainedDrafter& d) { return d.training.tokens; };

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

const std::vector<TrainingMetric>& training_metrics() {
  static const std::vector<TrainingMetric> all{
      {"log_parameters", [](const TrainedDrafter& d) { return std::log(d.parameters); }},
      {"log_training_tokens",
       [](const TrainedDrafter& d) { return std::log(static_cast<double>(d.training.tokens)); }},
      {"held_out_loss", [](const TrainedDrafter& d) { return d.training.held_out_loss; }},
      {"held_out_next_token_probability",
       [](const TrainedDrafter& d) { return d.training.held_out_acceptance; }},
      {"held_out_agreement",
       [](const TrainedDrafter& d) { return d.training.held_out_agreement; }}};
  return all;
}

ClosedWorld::ClosedWorld(const std::string& folder)
    : run_(folder), drafters_(drafters_of(run_)), categories_(categories_of(run_.by_category)) {}

std::vector<TrainedDrafter> ClosedWorld::fully_trained() const {
  const std::int64_t most = kTrainedTokens(std::ranges::max(drafters_, {}, kTrainedTokens));
  std::vector<TrainedDrafter> full;
  std::ranges::copy_if(drafters_, std::back_inserter(full),
                       [&](const TrainedDrafter& d) { return kTrainedTokens(d) == most; });
  std::ranges::sort(full, {}, &TrainedDrafter::parameters);
  return full;
}

std::vector<TrainedDrafter> ClosedWorld::of_one_size() const {
  std::vector<TrainedDrafter> same;
  for (const TrainedDrafter& d : drafters_)
    if (std::ranges::count(drafters_, d.parameters, &TrainedDrafter::parameters) > 1)
      same.push_back(d);
  std::ranges::sort(same, {}, kTrainedTokens);
  return same;
}

double ClosedWorld::target_parameters() const {
  return static_cast<double>(std::ranges::find(run_.manifest.models, analysis::ModelRole::target,
                                               &analysis::ModelProvenance::role)
                                 ->parameters);
}

const analysis::DrafterAcceptance& ClosedWorld::observed(const TrainedDrafter& drafter,
                                                         double temperature,
                                                         const std::string& category) const {
  return drafter_where(category == "all" ? run_.pooled : run_.by_category, drafter.name,
                       temperature, category);
}

const analysis::Estimate& ClosedWorld::acceptance(const TrainedDrafter& drafter, double temperature,
                                                  const std::string& category) const {
  return observed(drafter, temperature, category).depths.front().acceptance;
}

analysis::LineFit ClosedWorld::fit(const TrainingMetric& metric, double temperature) const {
  std::vector<double> x, y;
  for (const TrainedDrafter& drafter : drafters_) {
    x.push_back(metric.of(drafter));
    y.push_back(acceptance(drafter, temperature).value);
  }
  if (!differs(x) || !differs(y))
    throw DataError(
        fmt::format("the sweep's drafters do not differ in {} or in acceptance; measure it with "
                    "the config in experiments/configs/papers",
                    metric.name));
  return analysis::fit_line(x, y);
}

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
