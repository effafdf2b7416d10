#pragma once
// Rows of the experiment on latency levers: one lever, batch and way of decoding of one model.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/tables/estimate.h"

namespace speclab::experiments {

/// A form of the weights that changes what a step costs.
struct Lever {
  const char* name;
  const char* dtype;
  const char* activations;
  bool streams;     ///< four fifths of the weights are read at every forward
  bool in_batches;  ///< decoded in batches too
};
std::span<const Lever> levers();

struct LeverRow {
  std::string model, lever;
  std::string arithmetic;         ///< ModelInfo::dtype
  std::string kernels;            ///< and forms of the weights
  std::int32_t batch = 1;         ///< sequences decoded together
  std::int32_t draft_length = 0;  ///< of prompt lookup; 0: plain decoding
  std::int32_t units = 0;         ///< prompts alone, or batches: independent units of the interval
  std::int64_t tokens = 0;        ///< decoded, without the prefill's
  double tokens_per_s = 0;
  std::optional<analysis::Interval> interval{};  ///< 95 % over the units, of tokens_per_s
  double predicted_tokens_per_s = 0;             ///< of forwards timed and rounds of pilots before
  double tokens_per_round = 0;                   ///< of one sequence
  std::optional<double> speedup{};  ///< over plain decoding of the same lever and batch
  std::optional<analysis::Interval> speedup_interval{};  ///< 95 % over the units
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

/// @throws WriteError
void write_step_rows(std::span<const StepRow> rows, const std::string& path);
/// @throws WriteError
void write_lever_rows(std::span<const LeverRow> rows, const std::string& path);
/// @throws DataError if the file is no such table
std::vector<LeverRow> read_lever_rows(const std::string& path);

}  // namespace speclab::experiments
