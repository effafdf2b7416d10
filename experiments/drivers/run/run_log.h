#pragma once
// What a journal says: one entry a payload, as JSON.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/io/acceptance.h"
#include "analysis/io/atlas.h"
#include "analysis/io/costs.h"
#include "experiments/drivers/run/journal.h"
#include "sim/core/records.h"

namespace speclab::experiments {

/// What must not change between a run and its resumption, in the order of the manifest.
using Provenance = std::vector<std::pair<std::string, std::string>>;

/// A model as the manifest names it.
struct ModelEntry {
  std::string name, role, sha256, weights;
  std::int64_t parameters = 0;
};

struct HeaderEntry {
  std::string started_at;             ///< UTC, ISO 8601
  Provenance provenance;
  std::string config;                 ///< the effective one, as to_toml writes it
  std::vector<ModelEntry> models;
  std::vector<std::pair<std::string, double>> machine;  ///< measured, so free to change: read bandwidth
};

/// A finished generation of the plan.
struct RowEntry {
  std::int64_t row_id = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  std::string output_hash;
  StopReason stop_reason = StopReason::length;
  std::int64_t prefill_ns = 0, time_to_first_token_ns = 0, decode_ns = 0;
  std::int64_t peak_memory_bytes = 0;
  std::optional<double> law_distance{};                    ///< of a lossy verifier
  std::vector<RoundRecord> rounds;
  std::vector<std::pair<std::string, TokenFate>> pieces;  ///< of a sample; empty for the others
};

/// What ended a generation before its time.
enum class FailureStatus : std::uint8_t { exception, out_of_memory, not_finite, timeout, device, crash };

/// A generation of the plan that failed, the last time it was tried.
struct FailureEntry {
  std::int64_t row_id = 0;
  FailureStatus status = FailureStatus::exception;
  std::string message;
  int attempts = 1;
};

/// Bare forwards of a target, timed just before a generation.
struct PaceEntry {
  std::int64_t row_id = 0;
  std::string model;
  int context = 0;
  std::vector<std::pair<int, double>> forwards;  ///< rows, nanoseconds
};

struct PilotEntry {
  std::size_t pilot = 0;  ///< index in Plan::pilots
  std::vector<RoundRecord> rounds;
};

/// A measured point of the cost surface of a model; of a drafting where one is named.
using CostEntry = analysis::CostRow;
using analysis::Regime;

struct PredictionEntry {
  std::size_t cell = 0;
  double walltime_ns = 0;
  double speedup = 0;
  double tokens_per_round = 0;
  std::optional<double> acceptance_rate{};
};

/// One rule over the logged drafts of a cell (kind rule_atlas).
struct AtlasRuleEntry {
  std::string rule;
  int drafts = 1;                          ///< for one place
  bool lossless = true;
  double distance = 0.0;                   ///< mean total variation of the emitted token
  std::int64_t trials = 0;
  analysis::CountedMean acceptance{};
  std::optional<analysis::CountedMean> tokens_per_round{};  ///< of rules that take chains
};

struct AtlasEntry {
  std::size_t cell = 0;
  std::int64_t rows = 0;                   ///< drafts logged
  std::vector<AtlasRuleEntry> rules;
};

/// The drafts for one prompt's text in a cell (kind drafter_acceptance).
struct AcceptanceEntry {
  std::size_t cell = 0, prompt = 0;        ///< index in Plan::prompts
  std::int64_t positions = 0;              ///< places drafted for
  std::vector<analysis::DepthSums> depths;
};

/// The journal of a run, read and appended to entry by entry.
class RunLog {
 public:
  /// A log without a file.
  RunLog() : journal_(Journal::in_memory()) {}
  /// @throws DataError if the journal is damaged or holds what is no entry
  explicit RunLog(const std::string& folder, Journal::Tail tail = Journal::Tail::cut_off);

  void add(const HeaderEntry& entry);
  void add(const RowEntry& entry);
  void add(const FailureEntry& entry);
  void add(const PilotEntry& entry);
  void add(const PaceEntry& entry);
  void add(const std::vector<CostEntry>& entries);
  void add(const std::vector<PredictionEntry>& entries);
  void add(const AtlasEntry& entry);
  void add(const AcceptanceEntry& entry);
  void add_end();
  /// To be called before a log of an earlier process is added to; see Journal::secure.
  void secure() const { journal_.secure(); }
  /// Takes what `part` knows and this log does not, without writing it: a run is the union of its journals. Where both have a
  /// row, this log's stays.
  void include(const RunLog& part);

  const std::optional<HeaderEntry>& header() const { return header_; }
  const std::map<std::int64_t, RowEntry>& rows() const { return rows_; }
  /// By row_id, of generations that have no row.
  const std::map<std::int64_t, FailureEntry>& failures() const { return failures_; }
  const std::map<std::size_t, PilotEntry>& pilots() const { return pilots_; }
  const std::map<std::int64_t, PaceEntry>& paces() const { return paces_; }  ///< by row_id
  const std::vector<CostEntry>& costs() const { return costs_; }          ///< empty until all are measured
  const std::vector<PredictionEntry>& predictions() const { return predictions_; }
  const std::map<std::size_t, AtlasEntry>& atlas() const { return atlas_; }  ///< by cell
  const std::map<std::pair<std::size_t, std::size_t>, AcceptanceEntry>& acceptances() const { return acceptances_; }  ///< by cell and prompt
  bool finished() const { return finished_; }  ///< ended, and nothing was lost since
  std::size_t num_bytes_cut() const { return journal_.num_bytes_cut(); }

 private:
  void take(const std::string& payload);
  void take(const RowEntry& entry);
  void take(const FailureEntry& entry);
  void take(const AcceptanceEntry& entry) { acceptances_.insert_or_assign({entry.cell, entry.prompt}, entry); }

  Journal journal_;
  std::optional<HeaderEntry> header_;
  std::map<std::int64_t, RowEntry> rows_;
  std::map<std::int64_t, FailureEntry> failures_;
  std::map<std::size_t, PilotEntry> pilots_;
  std::map<std::int64_t, PaceEntry> paces_;
  std::vector<CostEntry> costs_;
  std::vector<PredictionEntry> predictions_;
  std::map<std::size_t, AtlasEntry> atlas_;
  std::map<std::pair<std::size_t, std::size_t>, AcceptanceEntry> acceptances_;
  bool finished_ = false;
  std::size_t num_taken_ = 0;  ///< entries read
};

const char* to_string(FailureStatus status);

}  // namespace speclab::experiments
