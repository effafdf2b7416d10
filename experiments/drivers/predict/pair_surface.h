#pragma once
// The costs of one model and drafter out of a costs.csv.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/stats/pair_costs.h"
#include "analysis/tables/costs.h"
#include "experiments/drivers/predict/cost_input.h"

namespace speclab::experiments {

/// Whose costs they are.
struct CostPair {
  Setting setting;  ///< of a chain, whose tree is empty here
  std::optional<Regime> regime{};
  auto operator<=>(const CostPair&) const = default;
  /// The model alone, in the same regime.
  CostPair plain() const { return {analysis::setting_of_forwards(setting), regime}; }
  std::string text() const;
};

/// Nothing for the cost of a tree.
std::optional<CostPair> pair_of(const analysis::CostRow& row);

/// What rounds cost at one context and one end of the intervals. [length]
struct LengthCosts {
  double plain_ns = 0.0;
  std::vector<double> draft_ns{}, verify_ns{}, overhead_ns{};
};

/// Costs of one pair at the three ends of their intervals.
class PairSurface {
 public:
  /// @param path  of the costs, for messages
  /// @throws DataError naming what the file lacks: a kind of cost, a point of the target's grid; or
  /// that a point occurs twice
  PairSurface(const std::string& path, const std::vector<analysis::CostRow>& costs,
              const CostPair& pair);

  /// Drafts as long as were timed, and verified in forwards that were timed.
  int longest() const;
  /// The context in the middle of those timed.
  int middle_context() const;
  /// The smallest and the largest timed.
  std::pair<int, int> contexts() const;
  bool has_interval() const { return has_interval_; }
  /// Of every length up to the longest, at one context and one end of the intervals.
  LengthCosts at(int context, End end) const;

 private:
  struct Surfaces {
    analysis::PairCosts drafting, plain;
  };
  const Surfaces& at(End end) const { return by_end_[static_cast<std::size_t>(end)]; }

  std::vector<analysis::CostRow> target_, draft_;
  bool has_interval_ = false;
  std::vector<Surfaces> by_end_;
};

}  // namespace speclab::experiments
