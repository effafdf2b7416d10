#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "sim/core/records.h"

namespace speclab::sim {

/// Rounds by level of their drafts: how many reached a level, accepted all before it and tested it,
/// and accepted there. Rounds that end before a level for lack of a draft do not count there, so
/// that adaptive lengths do not look like rejections.
class AcceptanceCounts {
 public:
  /// A round of a chain. @throws ContractError unless 0 <= accepted <= depth <= 4095
  void add(int depth, int accepted);
  void add(const AcceptanceCounts& other);
  /// Takes away what was added. @throws ContractError if that much is not there
  void remove(const AcceptanceCounts& other);

  /// Levels that were tested, in the order of the draft.
  std::size_t levels() const { return tested_.size(); }
  double tested_at(std::size_t level) const {
    return level < tested_.size() ? tested_[level] : 0.0;
  }
  double accepted_at(std::size_t level) const {
    return level < accepted_.size() ? accepted_[level] : 0.0;
  }
  double tested() const;    ///< over all levels
  double accepted() const;  ///< over all levels

 private:
  std::vector<double> tested_;
  std::vector<double> accepted_;
};

/// One of each prompt, as far as they hold chains: the clusters of an interval.
using ClusterCounts = std::span<const AcceptanceCounts>;

/// Whether acceptance is the same at every level of the draft, as i.i.d. acceptance would have it.
struct ConstantAcceptanceTest {
  std::size_t levels = 0;  ///< that had data enough to be compared
  std::size_t prompts = 0;
  double statistic =
      0.0;  ///< F with levels - 1 and prompts - levels + 1 degrees of freedom if it is constant
  double p_value = 1.0;
};

/// Hotelling's test that the conditional acceptances of all levels are equal, with their covariance
/// from the jackknife over prompts: prompts that differ inflate no statistic, but where easy
/// prompts reach deeper levels the test sees that acceptance rises with the level, as it should.
/// Levels at which fewer than five drafts were accepted or rejected are left out, and so are those
/// beyond a third of the prompts.
///
/// @throws DataError if fewer than two levels or six prompts are left
/// @source Hotelling 1931; Efron and Tibshirani 1993, section 11.2 (jackknife)
ConstantAcceptanceTest test_constant_acceptance(ClusterCounts clusters);

}  // namespace speclab::sim
