#pragma once
// What rounds cost, from ratios or from a costs.csv.

#include <functional>
#include <string>
#include <vector>

#include "analysis/tables/trace.h"
#include "experiments/drivers/predict/predict_options.h"
#include "sim/analytic/speedup.h"

namespace speclab::experiments {

/// Tokens drafted a round that are looked at at most.
inline constexpr int kLongestLength = 4096;

/// Which end of a cost's interval is taken.
enum class End { value, low, high };

struct CostCorner {
  End plain = End::value;  ///< of the plain step, where it was measured; ratios have none
  End draft = End::value;
  End verify = End::value;
  End overhead = End::value;
};

/// Where the speed-up is smallest and largest: it grows with the cost of the plain step and falls
/// with that of a round's parts. A pace that is common to all of them leaves it as it is; but
/// nothing in a file of costs tells how much of their intervals that is.
inline constexpr CostCorner kDearRounds{
    .plain = End::low, .draft = End::high, .verify = End::high, .overhead = End::high};
inline constexpr CostCorner kCheapRounds{
    .plain = End::high, .draft = End::low, .verify = End::low, .overhead = End::low};

/// What rounds cost.
struct CostInput {
  /// Costs of a round that drafts that many tokens, >= 1, in steps of plain decoding.
  std::function<sim::RelativeCosts(int speculation_length, const CostCorner& corner)> at;
  int longest = 0;  ///< length that costs are known for
  bool has_interval = false;
  bool is_measured = false;  ///< length by length; ratios move all lengths together
  bool is_textbook = false;  ///< scalar c, v = 1, o = 0: Theorem 3.8
  std::string source;        ///< for the reader
  std::vector<std::string> notes{};
  SettingFilter pair{};  ///< of measured costs: the model, drafter and regime they are of
};

/// From --cost-ratio, --verify-cost-ratio and --overhead-ratio, or from --costs.
/// @throws ConfigError about options, DataError about the file
CostInput cost_input(const PredictOptions& options);

/// What rounds of one model and drafter cost by a costs.csv, in steps of its plain decoding, at one
/// context. Of several models, drafters or regimes the file's first that fits the options is taken,
/// and a note says so.
/// @throws DataError naming what the file lacks: a kind of cost, a point of the target's grid;
/// ConfigError about options
CostInput measured_costs(const PredictOptions& options);

}  // namespace speclab::experiments
