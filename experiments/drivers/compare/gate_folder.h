#pragma once
#include <span>
#include <string>

#include "analysis/tables/bench_rows.h"

namespace speclab::experiments {

struct BuildGate;

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

}  // namespace speclab::experiments
