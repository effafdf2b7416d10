#include <fmt/format.h>

#include <algorithm>

#include "experiments/drivers/reproduce/measured/beside_figure.h"
#include "experiments/drivers/reproduce/measured/closed_world.h"

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

}  // namespace

std::vector<analysis::Figure> closed_world_figures(const ClosedWorld& world) {
  return {size_figure(world), text_figure(world), loss_figure(world), domain_figure(world)};
}

}  // namespace speclab::experiments
