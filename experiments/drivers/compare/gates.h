#pragma once
// The gate on two builds (is the head slower than the base?) with its sides, its folder and its
// texts, and the gate on two run folders.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/gate/count_gate.h"
#include "analysis/gate/time_gate.h"
#include "analysis/tables/bench_rows.h"
#include "experiments/drivers/compare/pair_runs.h"

namespace speclab::experiments {

/// A build whose benchmarks are compared.
struct BuildSide {
  std::string given;             ///< as the user named it
  std::string times_program{};   ///< the suite that is timed
  std::string counts_program{};  ///< the suite whose instructions are counted
};

enum class Measure { both, times, counts };

/// A folder with a built suite_bench, which is taken as it is, or a revision of the repository of
/// the current folder, which is built in a work tree under the user's cache folder, release for
/// times and x86-64-v3 for counts, through scripts/build. A work tree that is there is used again.
/// What is not measured has no program.
/// @throws ConfigError if it is neither, or its suite cannot be built
BuildSide build_side(const std::string& given, Measure measure);

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

inline constexpr const char* kPairsFile = "pairs.csv";
inline constexpr const char* kCountsFile = "counts.csv";
inline constexpr const char* kGateFile = "gate.json";

/// The files of one gate, written while it measures.
class GateFolder {
 public:
  /// @param path  made if it is not there; empty: nothing is written
  /// @throws ConfigError if it holds a gate already, WriteError if it cannot be made
  explicit GateFolder(std::string path);

  /// @throws WriteError
  void add(std::span<const analysis::BenchPairRow> rows);
  void add(std::span<const analysis::BenchCountRow> rows) const;
  void write_gate(const BuildGate& gate) const;

 private:
  std::string path_;
  bool has_pairs_ = false;
};

/// What gate.json says of a gate but its verdicts: the sides, settings, what was not compared, and
/// of every line benchmark, measure and pairs.
/// @throws Error(invalid_measurement) if there is none, because the gate was interrupted; DataError
/// if it is damaged
BuildGate read_gate(const std::string& folder);

/// The gate as a table with what was not compared, and its verdict in the last line.
std::string gate_text(const BuildGate& gate);

/// The same as one JSON object, without an end of line.
std::string gate_json(const BuildGate& gate);

/// What the gate on times finds, from the pairs of a build with itself in those folders together.
/// @throws DataError if there are too few, or of different benchmarks
analysis::GatePower power_of_folders(const std::vector<std::string>& folders);

/// As a table, with the smallest slow-down that is found in nine of ten gates in the last lines.
std::string power_text(const analysis::GatePower& power);

/// The same as one JSON object, without an end of line.
std::string power_json(const analysis::GatePower& power);

struct RunGateOptions {
  analysis::GateOptions gate{};
  bool json = false;
};

/// Holds the counts of two run folders against each other and prints what differs; walltimes stand
/// beside, not gated.
/// @throws DataError if a folder is none, or is broken or changed; ConfigError unless both are of
/// the kind `decoding`, or both `drafter_acceptance`; Error(invalid_measurement) if one has
/// measured nothing
analysis::GateVerdict compare_runs(const std::string& base, const std::string& head,
                                   const RunGateOptions& options);

}  // namespace speclab::experiments
