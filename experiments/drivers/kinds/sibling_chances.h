#pragma once
// What every node of drafted trees would add, without a coin being tossed.

#include <map>
#include <vector>

#include "analysis/tables/siblings.h"
#include "sim/rules/rule.h"

namespace speclab::experiments {

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
