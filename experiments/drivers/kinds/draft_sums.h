#pragma once
// What drafts would have kept, and what every node of drafted trees would add, without a coin
// being tossed.

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/tables/acceptance.h"
#include "analysis/tables/siblings.h"
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

/// Chances that the nodes of a tree are accepted by the ratio test, its tokens being what they are:
/// of siblings, tested in the order in which they were drawn, at most one is. Entry 0, the root's,
/// is 1. Target laws are asked for only where a node is reached.
/// @source Sequoia (Chen et al. 2024), Algorithm 2, in closed form
std::vector<double> acceptance_chances(const Draft& draft, const TargetLaws<float>& target_laws);

/// Sums over drafts by where a node stands.
class SiblingChances {
 public:
  /// @param target_laws  after every node of the draft
  void add(const Draft& draft, const TargetLaws<float>& target_laws);

  const std::map<sim::TreePlace, analysis::SiblingSums>& sums() const { return sums_; }

 private:
  std::map<sim::TreePlace, analysis::SiblingSums> sums_;
};

}  // namespace speclab::experiments
