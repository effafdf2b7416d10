#pragma once
// A finished sweep, summarised for the tables that are read from it.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/plots/figure_series.h"
#include "analysis/stats/bootstrap.h"
#include "analysis/stats/drafter_acceptance.h"
#include "analysis/stats/groups.h"
#include "analysis/tables/bridges.h"
#include "experiments/drivers/reproduce/measured/measured_table.h"
#include "sim/system/errors.h"

namespace speclab::experiments {

/// The value, where the sweep has one. @throws DataError saying what is missing
template <typename T>
const T& needed(const std::optional<T>& value, const std::string& what) {
  if (!value)
    throw DataError("the sweep has no " + what +
                    "; measure it with the config in experiments/configs/papers");
  return *value;
}

/// Generations of one sweep in groups of equal axes.
class MeasuredRun {
 public:
  /// @throws DataError if the folder holds no finished run of generations without a failure
  explicit MeasuredRun(const std::string& folder);

  const std::vector<analysis::Group>& pooled() const { return pooled_; }
  const std::vector<analysis::Group>& by_category() const { return by_category_; }
  const analysis::Manifest& manifest() const { return run_.manifest; }
  /// Work between two tokenizers. @throws DataError if bridges.csv has no row of the generation
  const BridgeUse& bridge_of(const analysis::Generation& generation) const;
  /// Rounds in which the target took a draft.
  std::int64_t hit_rounds(const analysis::Generation& generation) const;
  /// Sum over sum, with an interval over prompts; without one if the numerator is 0.
  /// @throws DataError if the denominator is not above 0
  analysis::Estimate ratio(const analysis::Generations& generations,
                           const analysis::Quantity& numerator,
                           const analysis::Quantity& denominator) const;
  /// Tokens a second of walltime, and the same as it was predicted.
  analysis::Estimate tokens_per_s(const analysis::Group& group) const;
  std::optional<double> predicted_tokens_per_s(const analysis::Group& group) const;
  /// Walltime a token of the first over that of the group's own, over the prompts of both.
  analysis::Estimate speed_over(const analysis::Group& first, const analysis::Group& group) const;
  /// Rows of a forward of the target, in the mean of the rounds.
  double rows_per_round(const analysis::Group& group) const;
  /// Prompts whose text in the group is the first one's; a generation that was repeated counts
  /// once.
  int prompts_with_text_of(const analysis::Group& first, const analysis::Group& group) const;
  /// The text of a generation that is a sample; empty of another.
  std::string text_of(const analysis::Generation& generation) const;
  /// Model, machine and number of prompts, for a remark.
  std::string description() const;

 private:
  /// @throws DataError if rows.csv has no such generation, or none that fits
  void check_bridge(const analysis::BridgeRow& row) const;

  analysis::Run run_;
  analysis::Baseline baseline_;
  mutable analysis::Bootstrap bootstrap_;      ///< keeps its resamples
  std::map<std::int64_t, BridgeUse> bridges_;  ///< by row_id
  std::vector<analysis::Group> pooled_, by_category_;
};

/// Drafters on a text of the target's own.
struct ObservedRun {
  /// @throws DataError if the folder holds no run of the kind drafter_acceptance
  explicit ObservedRun(const std::string& folder);

  analysis::Manifest manifest;
  std::vector<analysis::DrafterAcceptance> pooled, by_category;
  std::string description;
};

using GroupTest = std::function<bool(const analysis::Group&)>;

/// The only such group. @throws DataError if there is not exactly one, as in a folder of another
/// config
const analysis::Group& group_where(const std::vector<analysis::Group>& groups,
                                   const GroupTest& test, const std::string& what);

/// The only such drafter in that category ("all" where pooled). @throws DataError if there is not
/// exactly one, or it never drafted
const analysis::DrafterAcceptance& drafter_where(
    const std::vector<analysis::DrafterAcceptance>& drafters, const std::string& drafter,
    double temperature, const std::string& category = "all");

/// A number of ours with its interval.
Comparison measured(std::string setting, std::string quantity, const analysis::Estimate& ours);

/// The row, and behind it the prediction where there is one, as "predicted_" and its quantity.
void add_with_prediction(const Comparison& row, const std::optional<double>& predicted,
                         Reproduction& result);

/// Rows of a paper's table.
using RowTest = std::function<bool(std::size_t row)>;

/// The first such row. @throws DataError naming the table where there is none
std::size_t row_where(const analysis::Table& table, const RowTest& test, const std::string& what);
/// Ours beside the mean of theirs over such rows, as over the data sets of a table. @param
/// theirs_per_one  what one of ours is in units of theirs, as 100 for percent
Comparison beside_mean(const analysis::Table& table, const std::string& value_column,
                       const RowTest& test, Comparison ours, double theirs_per_one = 1.0);

/// Ours beside the claim of another name. @param theirs  its quantity
Comparison beside_claim(const analysis::Table& claims, Comparison ours, const std::string& theirs,
                        std::string note);

/// What every comparison of measurements says of itself.
std::string context_remark(const std::string& ours, const std::string& theirs);

/// Points of ours, filled with intervals, and theirs, hollow: a series each, in the order of first
/// mention.
class BesideFigure {
 public:
  BesideFigure(std::string id, std::string title, analysis::Axis x, std::string y,
               std::string caption);

  void add(const std::string& series, double x, const analysis::Estimate& ours);
  void add_theirs(const std::string& series, double x, double value);
  /// The axis goes from 0 to 1, for shares.
  void show_shares() { figure_.y.range = analysis::Interval{0, 1}; }
  /// The place of a name on an axis of names.
  double place(const std::string& name) { return analysis::place_named(figure_.x, name); }
  analysis::Figure figure() const { return figure_; }

 private:
  analysis::Figure figure_;
};

}  // namespace speclab::experiments
