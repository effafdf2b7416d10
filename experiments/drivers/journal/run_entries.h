#pragma once
// The entries of a journal. Numbers of generations, pilots and cells are those of a plan; in the
// file stand their keys (work_keys.h).

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/tables/costs.h"
#include "analysis/tables/text_samples.h"
#include "sim/core/records.h"

namespace speclab::experiments {

/// A model as the manifest names it.
struct ModelEntry {
  std::string name, role, sha256, weights;
  std::int64_t parameters = 0;
  std::optional<TrainingRecord> training{};  ///< where its folder tells
  std::string config_sha256{};               ///< of its config.json, where it has one
  std::string version{};                     ///< "NAME/v1" of a drafter that has versions
};

struct HeaderEntry {
  std::string started_at{};  ///< UTC, ISO 8601
  std::string question{};    ///< of the config: free to change
  Provenance provenance{};   ///< what must not change between a run and its resumption
  std::string config{};      ///< the effective one, as to_toml writes it
  std::vector<ModelEntry> models{};
  std::vector<std::pair<std::string, double>>
      machine{};              ///< measured, so free to change: read bandwidth
  std::string plan_digest{};  ///< of the work (work_keys.h)
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
  std::optional<ReadBytes> read{};       ///< empty in journals of earlier revisions
  std::optional<EnergyUse> energy{};     ///< empty if no meter told it
  std::optional<BridgeUse> bridge{};     ///< empty where both models share a tokenizer
  std::optional<double> law_distance{};  ///< of a lossy verifier
  std::vector<RoundRecord> rounds;
  std::vector<analysis::TextPiece> pieces;       ///< of a sample; empty for the others
  std::vector<analysis::DraftedRound> drafts{};  ///< of some samples, the first rounds
  std::optional<DeviceSample> device{};  ///< behind it, where the models are on one that tells
  int section = 1;                       ///< that measured it
};

/// What ended a generation before its time.
enum class FailureStatus : std::uint8_t {
  exception,
  out_of_memory,
  not_finite,
  timeout,
  device,
  crash
};

inline const char* to_string(FailureStatus status) {
  static constexpr std::array kNames{"exception", "out_of_memory", "not_finite",
                                     "timeout",   "device",        "crash"};
  return kNames.at(static_cast<std::size_t>(status));
}

/// A generation of the plan that failed, the last time it was tried.
struct FailureEntry {
  std::int64_t row_id = 0;
  FailureStatus status = FailureStatus::exception;
  std::string message;
  int attempts = 1;
};

struct ForwardTime {
  int rows = 0;
  double ns = 0;
};

/// Bare forwards of a target, timed just before a generation.
struct PaceEntry {
  std::int64_t row_id = 0;
  std::string model;
  int context = 0;
  std::vector<ForwardTime> forwards;
};

struct PilotEntry {
  std::size_t pilot = 0;  ///< index in Plan::pilots
  std::vector<RoundRecord> rounds;
  int section = 1;
};

/// A measured point of the cost surface of a model; of a drafting where one is named.
using CostEntry = analysis::CostRow;

struct PredictionEntry {
  std::size_t cell = 0;
  double walltime_ns = 0;
  double speedup = 0;
  double tokens_per_round = 0;
  std::optional<double> acceptance_rate{};
  std::optional<analysis::Interval>
      speedup_interval{};  ///< 95 %, of what is measured; missing where the pilots do not bear one
};

/// The findings of a kind without generations in a cell, or in one prompt of it. The kind alone
/// knows its form.
struct CellEntry {
  std::size_t cell = 0;
  std::optional<std::size_t> prompt{};  ///< index in Plan::prompts; none: the whole cell
  std::string where{};                  ///< file and line that it was read from, for messages
  nlohmann::ordered_json found;
};

}  // namespace speclab::experiments
