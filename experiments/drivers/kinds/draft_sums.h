#pragma once
// What drafts would have kept, without a coin being tossed.

#include <cstdint>
#include <vector>

#include "analysis/tables/acceptance.h"
#include "sim/rules/rule.h"

namespace speclab::experiments {

/// Sums over drafts by depth, along the first drawn child of every node, under the ratio test. A
/// draft reaches depth 1 with weight 1, each further one with the chance min(1, p/q) that the token
/// before is kept; so accepted / reached at a depth is the chance that a token there is kept, given
/// that all before it were.
class DraftSums {
 public:
  /// @param target_laws  after every node of the draft
  void add(const Draft& draft, const TargetLaws<float>& target_laws);

  std::int64_t positions() const { return positions_; }  ///< drafts added, empty ones too
  const std::vector<analysis::DepthSums>& depths() const { return depths_; }

 private:
  std::int64_t positions_ = 0;
  std::vector<analysis::DepthSums> depths_;  ///< depth 1 first
};

}  // namespace speclab::experiments
