#pragma once
// Which combinations of the axes are cells.

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace speclab::experiments {

struct RunConfig;

/// Names of the axes, in the order of a SweepPoint.
inline constexpr std::array<const char*, 6> kAxisNames{"model", "temperature", "drafter",
                                                       "tree",  "policy",      "verifier"};

/// A value of every axis as text; empty where an axis does not apply.
using SweepPoint = std::array<std::string, kAxisNames.size()>;

/// Values of some axes: of a table [[zip]] in step, of a table [[exclude]] as alternatives.
using AxisSelection = std::map<std::string, std::vector<std::string>>;

/// A number as an axis names it, so that 1, 1.0 and 10e-1 are one value.
std::string axis_text(double value);

/// The rule behind the cells of a config.
class Sweep {
 public:
  /// @param config  outlives it
  explicit Sweep(const RunConfig& config);

  /// Tree, policy and verifier do not apply to plain decoding, nor the tree axis to drafters that
  /// have a tree of their own.
  SweepPoint point(const std::string& model, double temperature, const std::string& drafter,
                   const std::string& tree, const std::string& policy,
                   const std::string& verifier) const;
  /// Whether every [[zip]] has a row with the point's values.
  bool is_zipped(const SweepPoint& point) const;
  bool is_excluded_by(std::size_t exclusion, const SweepPoint& point) const;
  /// Whether it is a cell.
  bool holds(const SweepPoint& point) const;
  /// Every combination of the axes before zips and exclusions, plain decoding of every model and
  /// temperature among them.
  std::vector<SweepPoint> product() const;
  /// How many these are, without making them.
  double product_size() const;

 private:
  std::vector<std::string> trees_of(const std::string& drafter) const;

  const RunConfig& config_;
  std::set<std::string> tree_drafters_;  ///< those that the tree axis holds for
};

}  // namespace speclab::experiments
