#pragma once
// Answers of closed forms that options ask for, and the numbers that those options take.

#include <string>
#include <vector>

#include "experiments/drivers/predict/answers.h"

namespace speclab::experiments {

inline constexpr int kMostNewTokens = 100'000;
inline constexpr int kMostSequences = 1'000'000;
inline constexpr int kMostBeams = 10'000;
inline constexpr int kMostCandidates = 64;

/// Answers about drafting beside verification, padded batches, beams and an MLP speculator.
/// @throws ConfigError about options
std::vector<Answer> asked_answers(const PredictOptions& options, const ChainInput& chain);

/// Options whose answers have no column in the table, as given: "--batch".
std::vector<std::string> options_of_answers(const PredictOptions& options);

}  // namespace speclab::experiments
