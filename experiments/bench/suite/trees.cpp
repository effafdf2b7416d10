#include <vector>

#include "experiments/bench/suite/suite.h"
#include "sim/analytic/static_tree.h"
#include "sim/analytic/tree_families.h"
#include "sim/core/draft.h"

namespace speclab::bench {
namespace {

/// Chances of SpecInfer's table 1 (CIP, greedy), whose differences they are.
const std::vector<double>& rank_acceptance() {
  static const std::vector<double> ranks{0.70, 0.11, 0.04, 0.03, 0.01};
  return ranks;
}

std::uint64_t checksum_of(const sim::OptimalTree& tree) {
  return Checksum().add_all(tree.shape.parents()).value();
}

std::uint64_t build_drafts(const TreeShape& shape) {
  Draft draft;
  Checksum checksum;
  for (Token pending = 0; pending < 32; ++pending) {
    draft.reset(pending, DrawKind::sampled);
    for (const int parent : shape.parents()) {
      draft.law_for(parent).assign_point_mass(64, pending);
      draft.add(parent, pending);
    }
    checksum.add(static_cast<std::uint64_t>(draft.num_laws)).add(draft.law_of_node.size());
  }
  return checksum.value();
}

}  // namespace

void add_trees(const Suite& suite) {
  suite.add("trees/sequoia/nodes:64", [] {
    return [] {
      return checksum_of(sim::sequoia_optimal_tree(rank_acceptance(), {.nodes = 64, .levels = 8}));
    };
  });
  suite.add("trees/best_first/nodes:256", [] {
    return [] {
      return checksum_of(sim::best_first_tree(rank_acceptance(), {.nodes = 256, .levels = 32}));
    };
  });
  suite.add("trees/drafts", [] {
    return [shape = TreeShape::parse("3x2x2x1", 0)] { return build_drafts(shape); };
  });
}

}  // namespace speclab::bench
