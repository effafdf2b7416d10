#pragma once
// The gate on two builds: is the head slower than the base?

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/gate/suite_gate.h"
#include "experiments/drivers/compare/pair_runs.h"
#include "experiments/drivers/compare/revision_build.h"

namespace speclab::experiments {

/// What `speclab compare` is asked about revisions and build folders.
struct BuildGateOptions {
  int pairs = 20;        ///< of processes, base and head; what stays unclear gets as many again
  int repetitions = 10;  ///< of a benchmark in a process, of which the least counts
  std::vector<std::string> families{};  ///< empty: all
  Measure measure = Measure::both;
  double planted_slowdown = 0.0;  ///< share of work that the head does more, to see the gate shut
  std::uint64_t seed = 1;         ///< of the order within pairs
  std::string output{};           ///< folder for the rows; none if empty
};

/// What came of it.
struct BuildGate {
  std::string base, head;  ///< as given, with revision, build and instruction set
  std::string machine{};
  BuildGateOptions options{};  ///< of a replayed gate those that gate.json has
  std::vector<analysis::GateLine> lines{};
  std::vector<std::string> only_base{}, only_head{};  ///< benchmarks that were not compared
  std::vector<std::string> notes{};
  FamilySeconds seconds{};  ///< that measuring times took
  analysis::GateVerdict verdict = analysis::GateVerdict::invalid;
};

/// Builds what is not built, tests the clocks, runs pairs of processes and counts instructions.
/// @throws ConfigError about options, revisions and folders; Error(invalid_measurement) if nothing
/// can be compared or the clocks are not to be trusted;
///         WriteError about the output
BuildGate compare_builds(const std::string& base, const std::string& head,
                         const BuildGateOptions& options);

/// The same verdicts from the rows that a gate left in its output.
/// @throws DataError if they are damaged or not all there, Error(invalid_measurement) if the gate
/// was interrupted
BuildGate replay_gate(const std::string& folder);

}  // namespace speclab::experiments
