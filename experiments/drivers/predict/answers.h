#pragma once
// Answers of closed forms that stand below the table of lengths.

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
  std::string name;  ///< of its object in JSON, and of its line
  std::vector<AnswerValue> values;
  std::string text;  ///< its line for people, behind the name
};

/// Input of a chain's answers; intervals are left out.
struct ChainInput {
  double acceptance_rate = 0.0;  ///< α
  double cost_ratio = 0.0;       ///< c of one drafted token
  int speculation_length = 0;    ///< that of --speculation-length, else the best
};

/// Answers whether drafting pays, and about a drafter that knows the future and the +2/-1
/// schedule; those of asked_answers follow.
/// @throws ConfigError about options
std::vector<Answer> chain_answers(const PredictOptions& options, const ChainInput& chain);

}  // namespace speclab::experiments
