#pragma once
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

}  // namespace speclab::sim
