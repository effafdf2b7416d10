#pragma once
// A run folder read into memory and checked; its files are described in results/TABLES.md.

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/tables/device_state.h"
#include "analysis/tables/manifest.h"
#include "analysis/tables/text_samples.h"
#include "sim/statistics/estimate.h"

namespace speclab::analysis {

/// The settings of a cell that decoding depends on. Texts that do not apply (plain decoding has no
/// tree) are empty.
struct CellAxes {
  std::string model;
  std::string drafter;
  std::string tree;
  std::string policy;
  std::string verifier;
  double temperature = 0;
  std::int64_t top_k = 0;
  double top_p = 1;
  double min_p = 0;
  double repetition_penalty = 1;

  bool is_plain() const { return drafter == "none"; }
  /// The cell whose walltime is the baseline of this one's speed-up.
  CellAxes plain() const;
  auto operator<=>(const CellAxes&) const = default;
};

/// One generation: rows.csv joined with times.csv.
struct Generation {
  std::int64_t row_id = 0;
  std::string cell_id;
  std::string prompt_id;
  std::string category;
  std::int64_t repetition = 0;
  CellAxes axes;
  std::int64_t prompt_tokens = 1;
  std::int64_t output_tokens = 0;
  std::int64_t rounds = 0;
  std::int64_t drafting_rounds = 0;
  std::int64_t drafted = 0;
  std::int64_t accepted = 0;
  std::int64_t tested = 0;
  std::int64_t recovered = 0;
  std::int64_t bonus = 0;
  std::string stop_reason;
  std::string output_hash;   ///< of the output ids
  std::int64_t deepest = 0;  ///< draft of its rounds
  std::size_t first_round =
      0;  ///< its rounds stand in a row in Run::rounds, from here on; plain decoding has none there
  bool lossless = true;
  std::optional<double> law_distance{};  ///< of lossy rows: mean total variation of an emitted
                                         ///< token's law from the target's
  bool forced_acceptance = false;
  std::int64_t prefill_ns = 0;
  std::int64_t time_to_first_token_ns = 0;
  std::int64_t decode_ns = 0;
  std::int64_t draft_ns = 0;
  std::int64_t target_ns = 0;
  std::int64_t verify_ns = 0;
  std::int64_t other_ns = 0;
  std::optional<std::int64_t> read_bytes{};  ///< by all models in its rounds; older runs lack it
  std::optional<double> energy_j{};          ///< of its rounds; empty if no meter told it
  std::int64_t section = 0;  ///< of Manifest::sections, that measured it; 0 where there are none

  std::int64_t walltime_ns() const { return prefill_ns + decode_ns; }
};

/// What rounds.csv says of a round.
struct Round {
  std::int64_t row_id = 0;
  std::int64_t position = 0;
  std::int64_t rows = 1;
  std::int64_t depth = 0;
  std::int64_t accepted = 0;
  std::int64_t drafted = 0;
  std::int64_t tested = 0;
  std::int64_t emitted = 1;
};

/// Expected before the cell was measured, but for the pace; missing where nothing is predicted.
struct Prediction {
  std::optional<double> walltime_ns;
  std::optional<double> speedup;
  std::optional<double> tokens_per_round;
  std::optional<double> acceptance_rate;
  std::optional<double>
      paced_walltime_ns{};  ///< walltime, had forwards cost what they did while measuring
  std::optional<sim::Interval> speedup_interval{};  ///< 95 %, of what is measured
};

struct Run {
  std::string folder;
  Manifest manifest;
  std::vector<Generation> generations;
  std::map<std::int64_t, std::size_t> generation_of_row;  ///< row_id -> index in generations
  std::vector<Round> rounds;
  std::map<std::string, Prediction> predictions;  ///< by cell_id
  std::vector<TextSample> texts;
  std::map<std::string, std::size_t> failures;  ///< generations that failed, by cell_id
  DeviceState device{};  ///< of a run on an accelerator; `generations` has none of those it dropped

  std::size_t num_measured() const { return generations.size() + device.dropped.size(); }
};

/// Reads and cross-checks a run folder. predictions.csv, texts.jsonl and failures.csv may be
/// absent; the others may not.
/// @throws DataError naming file, line and column, or the row that does not fit the other files;
/// EmptyRunError if nothing was measured
Run read_run(const std::string& folder);

}  // namespace speclab::analysis
