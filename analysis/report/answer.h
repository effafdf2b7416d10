#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/plots/figures.h"
#include "analysis/stats/cells.h"

namespace speclab::analysis {

/// What the run says, in a sentence or two: the drafter that the pilots chose at the lowest and the
/// highest temperature with its speed-up (where nothing was predicted, the fastest), and how far
/// the predictions were off.
std::string answer_sentence(const FigureData& data, const PredictionErrors& errors);

/// The gain in a sentence: the speed-up at the lowest temperature with its interval, whose drafter
/// it is, and the number of prompts. Empty if no drafter was compared with plain decoding.
std::string worth_sentence(const FigureData& data);

/// "Not finished: ... " of what Manifest::missing says; empty where nothing is missing.
std::string unfinished_note(const std::string& missing);

/// The lossless speculative group of the primary model with the largest speed-up at a temperature;
/// nullptr if there is none.
const Group* best_group(const FigureData& data, double temperature);

/// What a reader must know before comparing: lossy rules, forced acceptance, pairs of unequal
/// length, greedy texts that plain decoding did not write, pairs of two sections. Empty if all is
/// plain.
std::vector<std::string> notes(const FigureData& data);

}  // namespace speclab::analysis
