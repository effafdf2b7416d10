// Which size of a drafter is fastest, by what its parameters cost.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "experiments/drivers/reproduce/measured/closed_world.h"
#include "experiments/drivers/reproduce/measured/measured_run.h"
#include "sim/analytic/speedup.h"

namespace speclab::experiments {
namespace {

using XOf = std::function<double(const TrainedDrafter&)>;

analysis::Figure over_training(const ClosedWorld& world,
                               const std::vector<TrainedDrafter>& drafters, BesideFigure figure,
                               const XOf& x) {
  for (const double temperature : ClosedWorld::kTemperatures)
    for (const TrainedDrafter& drafter : drafters)
      figure.add(fmt::format("T = {}", temperature), x(drafter),
                 world.acceptance(drafter, temperature));
  figure.show_shares();
  return figure.figure();
}

std::string caption(const ClosedWorld& world) {
  return world.description() + "; acceptance of the first drafted token, bars 95 % over prompts.";
}

analysis::Figure size_figure(const ClosedWorld& world) {
  const analysis::Axis x{.label = "million parameters of the drafter",
                         .scale = analysis::Scale::logarithmic};
  return over_training(
      world, world.fully_trained(),
      {"closed_world_size", "Acceptance over the drafter's size", x, "acceptance", caption(world)},
      [](const TrainedDrafter& d) { return d.parameters / 1e6; });
}

analysis::Figure text_figure(const ClosedWorld& world) {
  const analysis::Axis x{.label = "million bytes of training text",
                         .scale = analysis::Scale::logarithmic};
  return over_training(
      world, world.of_one_size(),
      {"closed_world_text", "Acceptance over the drafter's training text, one size", x,
       "acceptance", caption(world)},
      [](const TrainedDrafter& d) { return static_cast<double>(d.training.tokens) / 1e6; });
}

analysis::Figure loss_figure(const ClosedWorld& world) {
  std::vector<TrainedDrafter> drafters = world.drafters();
  const auto loss = [](const TrainedDrafter& d) { return d.training.held_out_loss; };
  std::ranges::sort(drafters, {}, loss);
  const analysis::Axis x{.label = "held-out loss of the drafter, nats a byte"};
  return over_training(world, drafters,
                       {"closed_world_loss", "Acceptance over the drafter's loss, all drafters", x,
                        "acceptance", caption(world)},
                       loss);
}

analysis::Figure domain_figure(const ClosedWorld& world) {
  BesideFigure figure(
      "closed_world_domain", "Acceptance over the drafter's size by kind of text",
      {.label = "million parameters of the drafter", .scale = analysis::Scale::logarithmic},
      "acceptance", caption(world));
  for (const std::string& category : world.categories())
    for (const double temperature : {0.0, 1.0})
      for (const TrainedDrafter& drafter : world.fully_trained())
        figure.add(fmt::format("{}, T = {}", category, temperature), drafter.parameters / 1e6,
                   world.acceptance(drafter, temperature, category));
  figure.show_shares();
  return figure.figure();
}

constexpr std::array kPrices{
    0.1, 0.2,  0.5,  1.0, 2.0,
    5.0, 10.0, 20.0, 50.0};  ///< of a drafter's parameter, in those of the target

/// @param survivals  of each draft
LengthChoice best_length_of(const std::vector<double>& survivals, double cost_ratio) {
  LengthChoice best;
  double tokens = 1;
  for (std::size_t i = 0; i < survivals.size(); ++i) {
    tokens += survivals[i];
    const int length = static_cast<int>(i) + 1;
    const double speedup =
        sim::predicted_speedup_of_tokens(tokens, length, {.cost_ratio = cost_ratio});
    if (speedup > best.speedup.value) best.length = length, best.speedup.value = speedup;
  }
  return best;
}

struct Fastest {
  std::string drafter = "none";
  LengthChoice choice{};
};

BesideFigure price_figure(const ClosedWorld& world, double temperature) {
  return {fmt::format("closed_world_speedup_t{}", temperature),
          fmt::format("Which size is fastest at which price, T = {}", temperature),
          {.label = "price of a drafter's parameter, in those of the target",
           .scale = analysis::Scale::logarithmic},
          "predicted speed-up, best length",
          fmt::format("{}; by the formula with the measured survival of up to {} drafts, all "
                      "verified at the price of one forward; bars: all that the 95 % intervals of "
                      "the survivals over prompts allow, each end with its best length.",
                      world.description(),
                      world.observed(world.drafters().front(), temperature).depths.size())};
}

/// Draws every size at a price. @return the one that is fastest, if one is worth drafting with
Fastest fastest_at(const ClosedWorld& world, double temperature, double price,
                   BesideFigure& figure) {
  Fastest fastest;
  for (const TrainedDrafter& drafter : world.fully_trained()) {
    const LengthChoice choice = best_length(world.observed(drafter, temperature),
                                            price * drafter.parameters / world.target_parameters());
    figure.add(drafter.name, price, choice.speedup);
    if (choice.speedup.value > fastest.choice.speedup.value) fastest = {drafter.name, choice};
  }
  return fastest;
}

}  // namespace

std::vector<analysis::Figure> closed_world_figures(const ClosedWorld& world) {
  return {size_figure(world), text_figure(world), loss_figure(world), domain_figure(world)};
}

LengthChoice best_length(const analysis::DrafterAcceptance& cell, double cost_ratio) {
  std::vector<double> values, low, high;
  for (const analysis::DepthAcceptance& depth : cell.depths) {
    values.push_back(depth.survival.value);
    if (!depth.survival.interval) continue;
    low.push_back(depth.survival.interval->low);
    high.push_back(depth.survival.interval->high);
  }
  LengthChoice best = best_length_of(values, cost_ratio);
  best.speedup.n = cell.depths.front().survival.n;
  if (low.size() == values.size())
    best.speedup.interval = analysis::Interval{best_length_of(low, cost_ratio).speedup.value,
                                               best_length_of(high, cost_ratio).speedup.value};
  return best;
}

void add_fastest_sizes(const ClosedWorld& world, double temperature, Reproduction& result) {
  BesideFigure figure = price_figure(world, temperature);
  std::vector<std::string> names;
  for (const double price : kPrices) {
    const auto [drafter, choice] = fastest_at(world, temperature, price, figure);
    const std::string setting = fmt::format("price={};temperature={};fastest={};length={}", price,
                                            temperature, drafter, choice.length);
    result.rows.push_back(measured(setting, "predicted_speedup", choice.speedup));
    if (choice.length == 0) result.rows.back().prompts.reset();
    names.push_back(fmt::format("{} at {}", drafter, price));
  }
  result.figures.push_back(figure.figure());
  result.remarks.push_back(
      fmt::format("temperature {}: fastest size by the price of a drafter's parameter, in those of "
                  "the target: {}",
                  temperature, fmt::join(names, ", ")));
}

}  // namespace speclab::experiments
