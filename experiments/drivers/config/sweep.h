#pragma once
// Which combinations of the axes are cells.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/setting.h"

namespace speclab::experiments {

struct RunConfig;

/// Names of the axes, in the order of the columns that messages show.
const std::vector<std::string>& axis_names();

/// Values of some axes: of a table [[zip]] in step, of a table [[exclude]] as alternatives.
using AxisSelection = std::map<std::string, std::vector<std::string>>;

/// A number as an axis names it, so that 1, 1.0 and 10e-1 are one value.
std::string axis_text(double value);
inline std::string axis_text(const std::string& value) { return value; }
/// The value of one of axis_names(); empty where the axis does not apply.
std::string axis_text(const Setting& setting, std::string_view axis);

/// The rule behind the cells of a config.
class Sweep {
 public:
  /// @param config  outlives it
  explicit Sweep(const RunConfig& config);

  /// The setting without what does not apply: tree, policy and verifier to plain decoding, the tree
  /// axis to drafters that have a tree of their own.
  Setting point(const Setting& setting) const;
  /// Whether every [[zip]] has a row with the point's values.
  bool is_zipped(const Setting& point) const;
  bool is_excluded_by(std::size_t exclusion, const Setting& point) const;
  /// Whether it is a cell.
  bool holds(const Setting& point) const;
  /// Every combination of the axes before zips and exclusions, plain decoding of every model and
  /// temperature among them.
  std::vector<Setting> product() const;
  /// How many these are, without making them.
  double product_size() const;

 private:
  std::vector<std::string> trees_of(const std::string& drafter) const;

  const RunConfig& config_;
  std::set<std::string> tree_drafters_;  ///< those that the tree axis holds for
};

}  // namespace speclab::experiments
