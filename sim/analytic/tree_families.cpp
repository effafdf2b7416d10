#include "sim/analytic/tree_families.h"

#include <algorithm>
#include <string>
#include <vector>

#include "sim/analytic/arguments.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

constexpr double kLargestExactCount = 9007199254740992.0;  // 2^53

/// A(width): that one of the first `width` children is accepted.
double any_child(std::span<const double> rank_acceptance, int width) {
  expect_rank_acceptance(rank_acceptance);
  SPECLAB_EXPECT(width >= 1 && static_cast<std::size_t>(width) <= rank_acceptance.size(),
                 "a width of " + std::to_string(width) + "; allowed: 1 to the " +
                     std::to_string(rank_acceptance.size()) + " entries of rank_acceptance");
  double total = 0.0;
  for (const double acceptance : rank_acceptance.first(static_cast<std::size_t>(width)))
    total += acceptance;
  return std::min(total, 1.0);
}

/// 1 + ratio + ... + ratio^depth.
double geometric_sum(double ratio, int depth) {
  expect_at_least(0, depth, "depth");
  double total = 0.0;
  for (int level = 0; level <= depth; ++level) total = 1.0 + ratio * total;
  return total;
}

/// `total` / (1 - ratio), the sum of what never ends.
double over_rest(double total, double ratio) {
  SPECLAB_EXPECT(ratio < 1.0, "children that are accepted for certain have no limit");
  return total / (1.0 - ratio);
}

}  // namespace

double k_ary_tokens_per_round(std::span<const double> rank_acceptance, int width, int depth) {
  return geometric_sum(any_child(rank_acceptance, width), depth);
}

double k_ary_nodes(int width, int depth) {
  expect_at_least(1, width, "width");
  expect_at_least(0, depth, "depth");
  return expansion_nodes(std::vector<int>(static_cast<std::size_t>(depth), width));
}

double independent_chains_tokens_per_round(std::span<const double> rank_acceptance, int chains,
                                           int depth) {
  const double any = any_child(rank_acceptance, chains);
  expect_at_least(0, depth, "depth");
  return depth == 0 ? 1.0 : 1.0 + any * geometric_sum(rank_acceptance[0], depth - 1);
}

double independent_chains_limit(std::span<const double> rank_acceptance, int chains) {
  return 1.0 + over_rest(any_child(rank_acceptance, chains), rank_acceptance[0]);
}

double expansion_tokens_per_round(std::span<const double> rank_acceptance,
                                  std::span<const int> expansion) {
  expect_rank_acceptance(rank_acceptance);
  double tokens = 1.0;
  double reached = 1.0;
  for (const int width : expansion) tokens += reached *= any_child(rank_acceptance, width);
  return tokens;
}

double expansion_nodes(std::span<const int> expansion) {
  double nodes = 1.0;
  double level = 1.0;
  for (const int width : expansion) {
    expect_at_least(1, width, "width");
    nodes += level *= width;
    SPECLAB_EXPECT(nodes <= kLargestExactCount, "the tree has more than 2^53 nodes");
  }
  return nodes;
}

int sequential_draft_forwards(int drafted_nodes) {
  expect_at_least(0, drafted_nodes, "drafted_nodes");
  return drafted_nodes + 1;
}

}  // namespace speclab::sim
