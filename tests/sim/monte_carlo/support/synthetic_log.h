#pragma once
#include <cstdint>
#include <vector>

#include "sim/core/speculation_length_policy.h"
#include "sim/monte_carlo/acceptance_process.h"
#include "sim/monte_carlo/round_trace.h"

namespace speclab::testing {

/// How much of a log to make up.
struct LogSize {
  int generations = 24;
  int new_tokens = 128;
  std::uint64_t seed = 1;
};

/// Rounds of simulated generations, each of a prompt of its own.
std::vector<sim::LoggedGeneration> synthetic_log(const SpeculationLengthPolicy& policy,
                                                 sim::AcceptanceProcess& process,
                                                 const LogSize& size);

}  // namespace speclab::testing
