#pragma once
// Answers of closed forms that stand beside the table of lengths.

#include <string>
#include <variant>
#include <vector>

#include "experiments/drivers/predict/predict_options.h"

namespace speclab::experiments {

struct AnswerValue {
  std::string name;
  std::variant<bool, long long, double> value;
};

/// One question answered.
struct Answer {
  std::string name;  ///< of its object in JSON
  std::vector<AnswerValue> values;
  std::string text;  ///< a line for people
};

/// What a chain's answers are computed from; intervals are left out.
struct ChainInput {
  double acceptance_rate = 0.0;  ///< α
  double cost_ratio = 0.0;       ///< c of one drafted token
  int speculation_length = 0;    ///< that of --speculation-length, else the best
};

/// Whether drafting pays, a drafter that knows the future and the +2/-1 schedule; then
/// asked_answers.
/// @throws ConfigError about options
std::vector<Answer> chain_answers(const PredictOptions& options, const ChainInput& chain);
/// Those that options ask for: drafting beside verification, padded batches, beams, an MLP
/// speculator.
/// @throws ConfigError about options
std::vector<Answer> asked_answers(const PredictOptions& options, const ChainInput& chain);

/// Options whose answers have no column in the table, as given: "--batch".
std::vector<std::string> options_of_answers(const PredictOptions& options);

}  // namespace speclab::experiments
