#pragma once
// A target and drafters of several sizes that learned from the same text: what of a drafter's
// training tells its acceptance, and which size is fastest at which price. No paper has this; the
// rows are of ours alone.

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "analysis/stats/line_fit.h"
#include "experiments/drivers/reproduce/measured/measured_run.h"

namespace speclab::experiments {

/// A drafter, and what its training told.
struct TrainedDrafter {
  std::string name;
  double parameters = 0;
  TrainingRecord training;
};

/// A figure of training that may tell acceptance.
struct TrainingMetric {
  const char* name;
  double (*of)(const TrainedDrafter& drafter);
};

/// All that are asked of a drafter.
const std::vector<TrainingMetric>& training_metrics();  ///< parameters first

/// A sweep over such drafters.
class ClosedWorld {
 public:
  /// @throws DataError if the run does not tell of every drafter once what it learned from, or has
  /// fewer than a line needs
  explicit ClosedWorld(const std::string& folder);

  static constexpr std::array kTemperatures{0.0, 0.5, 1.0};

  const std::vector<TrainedDrafter>& drafters() const { return drafters_; }
  /// Those that saw all of the text, by size.
  std::vector<TrainedDrafter> fully_trained() const;
  /// Those of one size that saw different amounts of text, by the amount.
  std::vector<TrainedDrafter> of_one_size() const;
  const std::vector<std::string>& categories() const { return categories_; }
  double target_parameters() const;
  const std::string& description() const { return run_.description; }

  /// @param category  "all" where pooled
  const analysis::DrafterAcceptance& observed(const TrainedDrafter& drafter, double temperature,
                                              const std::string& category = "all") const;
  /// Of the first drafted token.
  const analysis::Estimate& acceptance(const TrainedDrafter& drafter, double temperature,
                                       const std::string& category = "all") const;
  /// Acceptance over a metric. @throws DataError where the drafters do not differ in one of the two
  analysis::LineFit fit(const TrainingMetric& metric, double temperature) const;

 private:
  ObservedRun run_;
  std::vector<TrainedDrafter> drafters_;
  std::vector<std::string> categories_;
};

/// The best length by the formula, 0 where none pays.
struct LengthChoice {
  int length = 0;
  analysis::Estimate speedup{.value = 1,
                             .n = 0};  ///< the interval is all that those of the survivals
                                       ///< allow, each end with its own best length
};

/// With the measured survival of each draft, up to those that were observed. Without an interval
/// where a survival has none.
LengthChoice best_length(const analysis::DrafterAcceptance& cell, double cost_ratio);

std::vector<analysis::Figure> closed_world_figures(const ClosedWorld& world);
/// The fastest size at each price of a drafter's parameter: rows, a figure and a remark.
void add_fastest_sizes(const ClosedWorld& world, double temperature, Reproduction& result);

}  // namespace speclab::experiments
