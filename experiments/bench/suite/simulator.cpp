#include <memory>

#include "experiments/bench/simulation/example_costs.h"
#include "experiments/bench/suite/suite.h"
#include "sim/monte_carlo/acceptance_process.h"
#include "sim/monte_carlo/simulated_generation.h"
#include "sim/policies/policy_registry.h"

namespace speclab::bench {
namespace {

/// A setting of the simulator, and how much of it a call simulates.
struct Simulated {
  std::string name, policy;
  std::function<std::unique_ptr<sim::AcceptanceProcess>()> make_process;
  int generations;
  std::optional<sim::DraftTree> tree{};
};

struct Simulation {
  explicit Simulation(const Simulated& setting)
      : policy(make_policy(setting.policy)),
        process(setting.make_process()),
        options{.generations = setting.generations, .seed = 17, .tree = setting.tree} {}

  std::uint64_t operator()() {
    const sim::RoundTotals totals =
        sim::simulate_generation(*policy, *process, {.new_tokens = 128, .prompt_tokens = 64},
                                 costs.get(), options)
            .totals;
    return Checksum()
        .add(static_cast<std::uint64_t>(totals.rounds))
        .add(static_cast<std::uint64_t>(totals.drafted))
        .add(static_cast<std::uint64_t>(totals.accepted))
        .value();
  }

  std::unique_ptr<SpeculationLengthPolicy> policy;
  std::unique_ptr<sim::AcceptanceProcess> process;
  std::shared_ptr<const sim::CostSurface> costs = example_costs();
  sim::SimulationOptions options;
};

}  // namespace

void add_simulator(const Suite& suite) {
  const auto iid = [] { return std::make_unique<sim::PositionProcess>(std::vector{0.8}); };
  const auto two_state = [] {
    return std::make_unique<sim::TwoStateProcess>(sim::TwoStateAcceptance{
        .acceptance_rate = {0.95, 0.5}, .easy_to_hard = 0.1, .hard_to_easy = 0.2});
  };
  const auto beta = [] {
    return std::make_unique<sim::BetaProcess>(sim::BetaParameters{.a = 8, .b = 2});
  };
  for (const Simulated& setting :
       {Simulated{"iid/constant:5", "constant:5", iid, 20},
        Simulated{"beta/heuristic", "heuristic", beta, 20},
        Simulated{"two_state/heuristic", "heuristic", two_state, 20},
        Simulated{"tree/3x2x1", "constant:3", iid, 20,
                  sim::DraftTree{TreeShape::parse("3x2x1", 0), {0.6, 0.2, 0.1}}}})
    suite.add("simulator/" + setting.name, [setting] {
      return [simulation = std::make_shared<Simulation>(setting)] { return (*simulation)(); };
    });
}

}  // namespace speclab::bench
