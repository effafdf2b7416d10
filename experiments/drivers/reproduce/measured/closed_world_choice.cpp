// Which size of a drafter is fastest, by what its parameters cost.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "experiments/drivers/reproduce/measured/beside_figure.h"
#include "experiments/drivers/reproduce/measured/closed_world.h"
#include "sim/analytic/speedup.h"

namespace speclab::experiments {
namespace {

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
