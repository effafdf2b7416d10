#pragma once
// A run folder read into memory and checked; its files are described in results/TABLES.md.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/tables/axes.h"
#include "analysis/tables/device_state.h"
#include "analysis/tables/manifest.h"
#include "analysis/tables/predictions.h"
#include "analysis/tables/text_samples.h"
#include "sim/core/draft.h"

namespace speclab::analysis {

/// One generation: rows.csv joined with times.csv.
struct Generation {
  std::int64_t row_id = 0;
  std::string cell_id;
  std::string prompt_id;
  std::string category;
  std::int64_t repetition = 0;
  Setting axes;
  std::string seed;  ///< key of the random streams
  std::int64_t sequence_id = 0;
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
  std::optional<std::int64_t> peak_memory_bytes{};
  std::optional<std::int64_t> target_bytes{}, draft_bytes{};  ///< read in its rounds; older runs
                                                              ///< lack them
  std::optional<double> energy_j{};  ///< of its rounds; empty if no meter told it
  std::string energy_source{};
  std::int64_t section = 0;  ///< of Manifest::sections, that measured it; 0 where there are none

  std::string first_of_batch{};  ///< prompt_id of the first sequence of its batch; empty if alone

  std::int64_t walltime_ns() const { return prefill_ns + decode_ns; }
  /// The rows that share one chance: those of a prompt, or of a batch. Intervals are over these.
  const std::string& cluster() const { return first_of_batch.empty() ? prompt_id : first_of_batch; }
  /// Bytes that all models read in its rounds.
  std::optional<std::int64_t> read_bytes() const {
    return target_bytes && draft_bytes ? std::optional(*target_bytes + *draft_bytes) : std::nullopt;
  }
};

/// What rounds.csv says of a round.
struct Round {
  std::int64_t row_id = 0;
  std::int64_t round = 0;  ///< its number within the generation, from 0
  std::int64_t position = 0;
  std::int64_t rows = 1;
  std::int64_t depth = 0;
  std::int64_t accepted = 0;
  std::int64_t drafted = 0;
  std::int64_t tested = 0;
  std::int64_t emitted = 1;
  NextKind next_kind = NextKind::recovered;
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
