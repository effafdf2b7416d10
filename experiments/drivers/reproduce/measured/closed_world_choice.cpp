// Which size of a drafter is fastest, by what its parameters cost.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "experiments/drivers/reproduce/measured/closed_world.h"
#include "sim/analytic/speedup.h"

namespace speclab::experiments {
namespace {

constexpr std::array kPrices{0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0};  ///< of a drafter's parameter, in those of the target

/// What is fastest by the formula with the measured survival of each draft, up to the drafts that were observed; its interval is all that
/// those of the survivals allow.
struct Choice {
  int length = 0;
  analysis::Estimate speedup{.value = 1, .interval = {}, .n = 0};
};

Choice best_length(const analysis::DrafterAcceptance& cell, double cost_ratio) {
  Choice best;
  double tokens = 1;
  analysis::Interval allowed{1, 1};
  for (std::size_t i = 0; i < cell.depths.size(); ++i) {
    const analysis::Estimate& survival = cell.depths[i].survival;
    const analysis::Interval own = survival.interval.value_or(analysis::Interval{survival.value, survival.value});
    tokens += survival.value, allowed.low += own.low, allowed.high += own.high;
    const int length = static_cast<int>(i) + 1;
    const auto speedup = [&](double emitted) { return sim::predicted_speedup_of_tokens(emitted, length, {.cost_ratio = cost_ratio}); };
    if (speedup(tokens) > best.speedup.value) best = {length, {.value = speedup(tokens), .interval = analysis::Interval{speedup(allowed.low), speedup(allowed.high)}, .n = survival.n}};
  }
  return best;
}

struct Fastest {
  std::string drafter = "none";
  Choice choice{};
};

BesideFigure price_figure(const ClosedWorld& world, double temperature) {
  return {fmt::format("closed_world_speedup_t{}", temperature), fmt::format("Which size is fastest at which price, T = {}", temperature),
          {.label = "price of a drafter's parameter, in those of the target", .scale = analysis::Scale::logarithmic, .names = {}}, "predicted speed-up, best length",
          fmt::format("{}; by the formula with the measured survival of up to {} drafts, all verified at the price of one forward; bars: all that the 95 % intervals of the survivals allow, over prompts, none where nothing drafted pays.", world.description(), world.observed(world.drafters().front(), temperature).depths.size())};
}

/// Draws every size at a price. @return the one that is fastest, if one is worth drafting with
Fastest fastest_at(const ClosedWorld& world, double temperature, double price, BesideFigure& figure) {
  Fastest fastest;
  for (const TrainedDrafter& drafter : world.fully_trained()) {
    const Choice choice = best_length(world.observed(drafter, temperature), price * drafter.parameters / world.target_parameters());
    figure.add(drafter.name, price, choice.speedup);
    if (choice.speedup.value > fastest.choice.speedup.value) fastest = {drafter.name, choice};
  }
  return fastest;
}

}  // namespace

void add_fastest_sizes(const ClosedWorld& world, double temperature, Reproduction& result) {
  BesideFigure figure = price_figure(world, temperature);
  std::vector<std::string> names;
  for (const double price : kPrices) {
    const auto [drafter, choice] = fastest_at(world, temperature, price, figure);
    const std::string setting = fmt::format("price={};temperature={};fastest={};length={}", price, temperature, drafter, choice.length);
    result.rows.push_back(measured(setting, "predicted_speedup", choice.speedup));
    names.push_back(fmt::format("{} at {}", drafter, price));
  }
  result.figures.push_back(figure.figure());
  result.remarks.push_back(fmt::format("temperature {}: fastest size by the price of a drafter's parameter, in those of the target: {}", temperature, fmt::join(names, ", ")));
}

}  // namespace speclab::experiments
