#pragma once
// What `speclab predict` says: a table over speculation lengths, its optimum, and a tree.

#include <optional>
#include <string>
#include <vector>

#include "experiments/drivers/predict/answers.h"
#include "experiments/drivers/predict/predict_options.h"
#include "experiments/drivers/predict/typed_numbers.h"

namespace speclab::experiments {

/// One speculation length. Length 0 is plain decoding. Intervals hold everything that the inputs'
/// intervals allow.
struct PredictedLength {
  int speculation_length = 0;
  analysis::Estimate tokens_per_round;
  analysis::Estimate predicted_speedup;
  std::optional<double> accepted_fraction{};  ///< missing where nothing is drafted
  double operations_factor = 1.0;
  double target_reads_per_token = 1.0;
  std::optional<double> bytes_per_token{};  ///< where bytes are given
  std::optional<analysis::Estimate>
      trace_tokens_per_round{};  ///< from acceptance by position, as far as the trace reaches
  std::optional<analysis::Estimate> trace_predicted_speedup{};
};

/// The length with the largest predicted speed-up; the smallest of equals.
struct Optimum {
  PredictedLength at;
  std::optional<int> lowest{}, highest{};  ///< over the inputs' intervals
  bool is_at_longest = false;              ///< the search ended there: a longer one may be better
  bool is_highest_at_longest = false;      ///< so did that for `highest`
};

/// The best tree of a budget; the root alone where no tree pays.
struct PredictedTree {
  int nodes = 1;   ///< root included
  int levels = 1;  ///< root included
  double tokens_per_round = 1.0;
  analysis::Estimate predicted_speedup{
      .value = 1.0};      ///< with the interval of the costs where acceptance has none
  std::string parents{};  ///< as `--tree` takes it; empty for the root alone
  std::optional<double>
      rank_tokens_per_round{};  ///< by the ranks alone, wherever a node stands, where more is known
  std::optional<double> chain_tokens_per_round{};  ///< of a chain of as many nodes, likewise
  std::string assumption{};                        ///< what its acceptance by rank rests on
};

struct Prediction {
  analysis::Estimate acceptance_rate;
  std::string acceptance_source, cost_source;
  std::vector<std::string> notes;
  bool counts_draft_operations = false;  ///< else operations are the target's alone
  std::vector<PredictedLength> lengths;  ///< from 0 on, all that are shown
  std::vector<PredictedLength>
      curve{};  ///< from 0 to the last of them without a gap, where a plot is asked for
  std::vector<std::string> origins{};  ///< of what was measured, likewise
  Optimum optimum;
  std::optional<PredictedLength> trace_optimum;  ///< by acceptance by position
  int trace_optimum_reach = 0;                   ///< the longest length that the trace tells of
  std::optional<PredictedLength> chosen;         ///< of --speculation-length
  std::optional<PredictedTree> tree;
  std::vector<Answer> answers{};  ///< of closed forms, by values without intervals
  bool has_interval = false;
};

/// @throws ConfigError about options, DataError about files
Prediction predict(const PredictOptions& options);

}  // namespace speclab::experiments
