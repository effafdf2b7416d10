#include "tests/sim/monte_carlo/support/synthetic_log.h"

#include <string>

#include "sim/monte_carlo/simulated_generation.h"

namespace speclab::testing {

std::vector<sim::LoggedGeneration> synthetic_log(const SpeculationLengthPolicy& policy,
                                                 sim::AcceptanceProcess& process,
                                                 const LogSize& size) {
  std::vector<sim::LoggedGeneration> log(static_cast<std::size_t>(size.generations));
  for (std::size_t i = 0; i < log.size(); ++i) log[i].prompt = "prompt " + std::to_string(i);
  sim::SimulationOptions options{.generations = size.generations, .seed = size.seed};
  options.on_rounds = [&log](std::uint32_t sequence, std::span<const RoundRecord> rounds) {
    log[sequence].rounds.insert(log[sequence].rounds.end(), rounds.begin(), rounds.end());
  };
  sim::simulate_generation(policy, process, {.new_tokens = size.new_tokens}, nullptr, options);
  return log;
}

}  // namespace speclab::testing
