#pragma once
// Tables of the experiment on latency levers: one lever, batch and way of decoding of one model,
// and the forwards of all levers.

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/tables/estimate.h"
#include "analysis/tables/schema.h"

namespace speclab::analysis {

struct LeverRow {
  std::string model, lever;
  std::string arithmetic;         ///< ModelInfo::dtype
  std::string kernels;            ///< and forms of the weights
  std::int32_t batch = 1;         ///< sequences decoded together
  std::int32_t draft_length = 0;  ///< of prompt lookup; 0: plain decoding
  std::int32_t units = 0;         ///< prompts alone, or batches: independent units of the interval
  std::int64_t tokens = 0;        ///< decoded, without the prefill's
  double tokens_per_s = 0;
  std::optional<Interval> interval{};          ///< 95 % over the units, of tokens_per_s
  double predicted_tokens_per_s = 0;           ///< of forwards timed and rounds of pilots before
  double tokens_per_round = 0;                 ///< of one sequence
  std::optional<double> speedup{};             ///< over plain decoding of the same lever and batch
  std::optional<Interval> speedup_interval{};  ///< 95 % over the units
  std::optional<double> batch_gain{};  ///< over plain decoding of the same prompts, each alone
  std::int64_t weight_bytes = 0;       ///< that a forward of one row reads
  std::int64_t streamed_bytes = 0;     ///< of them from the file
  double source_bytes_per_s = 0;  ///< at which memory, or the disk of streamed weights, is read
  std::string machine, revision;

  bool is_plain() const { return draft_length == 0; }
};

/// A forward of one lever beside the read of its weights.
struct StepRow {
  std::string model, lever;
  std::int32_t rows = 1;
  std::int32_t repetitions = 0;
  double milliseconds = 0;   ///< median of a forward
  double over_bfloat16 = 0;  ///< median ratio to bfloat16's forward of one row beside it
  double over_one_row = 0;   ///< median ratio to the lever's own forward of one row beside it
  double over_floor = 0;     ///< median ratio to weight bytes over the rate read beside it
};

/// levers.csv and steps.csv
const Schema<LeverRow>& levers_table();
const Schema<StepRow>& steps_table();

}  // namespace speclab::analysis
