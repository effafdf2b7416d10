#include "sim/analytic/sibling_acceptance.h"

#include <algorithm>
#include <queue>
#include <string>

#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

/// A node that may be taken next.
struct Candidate {
  double score;  ///< product along its path
  double left;   ///< of its parent's, before it
  int order;     ///< ties go to the one found first
  int parent;    ///< among those taken, 0 is the root
  TreePlace place;
};

struct IsWorse {
  bool operator()(const Candidate& a, const Candidate& b) const {
    return a.score != b.score ? a.score < b.score : a.order > b.order;
  }
};

/// Grows a tree from its root.
class LikeliestGrowth {
 public:
  LikeliestGrowth(const SiblingAcceptance& acceptance, const TreeBudget& budget)
      : acceptance_(acceptance), budget_(budget) {
    offer(0, 1.0, {});
  }

  bool can_go_on() const {
    return static_cast<int>(taken_.size()) + 1 < budget_.nodes && !candidates_.empty() &&
           candidates_.top().score > 0.0;
  }

  void take() {
    const Candidate best = candidates_.top();
    candidates_.pop();
    taken_.push_back(best);
    tokens_ += best.score;
    offer(best.parent, best.left - best.score,
          {best.place.depth, best.place.parent_rank, best.place.rank + 1});
    if (best.place.depth + 1 < budget_.levels)
      offer(static_cast<int>(taken_.size()), best.score,
            {best.place.depth + 1, best.place.rank, 1});
  }

  double tokens() const { return tokens_; }

  /// Level by level, the children of a node one after the other in their order.
  TreeShape shape() const {
    std::vector<int> parents, nodes{0};  // of the shape; what each of its nodes is here
    for (std::size_t node = 0; node < nodes.size(); ++node)
      for (std::size_t i = 0; i < taken_.size(); ++i)
        if (taken_[i].parent == nodes[node])
          parents.push_back(static_cast<int>(node)), nodes.push_back(static_cast<int>(i) + 1);
    return TreeShape::from_parents(std::move(parents));
  }

 private:
  double score_of(int node) const {
    return node == 0 ? 1.0 : taken_[static_cast<std::size_t>(node - 1)].score;
  }

  /// @param left  of the parent's chance, what its earlier children leave
  void offer(int parent, double left, const TreePlace& place) {
    if (budget_.levels < 2 || place.rank > acceptance_.most_ranks()) return;
    candidates_.push({std::min(left, score_of(parent) * acceptance_.at(place)), left, next_order_++,
                      parent, place});
  }

  const SiblingAcceptance& acceptance_;
  TreeBudget budget_;
  std::priority_queue<Candidate, std::vector<Candidate>, IsWorse> candidates_;
  std::vector<Candidate> taken_;
  double tokens_ = 1.0;
  int next_order_ = 0;
};

}  // namespace

void SiblingAcceptance::add(const TreePlace& place, double reached, double accepted) {
  SPECLAB_EXPECT(
      place.depth >= 1 && place.rank >= 1 && (place.parent_rank >= 1) == (place.depth > 1),
      "a place has a depth, a rank and below depth 1 a parent's rank, from 1");
  SPECLAB_EXPECT(accepted >= 0.0 && accepted <= reached,
                 std::to_string(accepted) + " accepted of " + std::to_string(reached) +
                     "; allowed: 0 to as many");
  places_[place].add(reached, accepted);
  all_depths_[{std::min(place.depth, 2), place.parent_rank, place.rank}].add(reached, accepted);
  ranks_[place.rank].add(reached, accepted);
}

double SiblingAcceptance::at(const TreePlace& place) const {
  for (const auto& [counts, key] :
       {std::pair{&places_, place},
        {&all_depths_, TreePlace{std::min(place.depth, 2), place.parent_rank, place.rank}}})
    if (const auto found = counts->find(key);
        found != counts->end() && found->second.reached >= kLeastWeight)
      return found->second.rate();
  return of_rank(place.rank);
}

double SiblingAcceptance::of_rank(int rank) const {
  const auto found = ranks_.find(rank);
  return found == ranks_.end() ? 0.0 : found->second.rate();
}

int SiblingAcceptance::most_ranks() const { return ranks_.empty() ? 0 : ranks_.rbegin()->first; }

std::vector<double> SiblingAcceptance::of_ranks() const {
  std::vector<double> chances;
  double left = 1.0;
  for (int rank = 1; rank <= most_ranks(); ++rank) {
    chances.push_back(std::min(left, of_rank(rank)));
    left -= chances.back();
  }
  return chances;
}

std::vector<double> SiblingAcceptance::of_nodes(const TreeShape& shape) const {
  const std::vector<int>& parents = shape.parents();
  std::vector<TreePlace> places{{0, 0, 0}};  // the root's is no place
  std::vector<double> chances;
  for (std::size_t node = 0; node < parents.size();) {
    const TreePlace parent = places[static_cast<std::size_t>(parents[node])];
    double left = 1.0;
    for (int rank = 1; node < parents.size() && (rank == 1 || parents[node] == parents[node - 1]);
         ++node, ++rank) {
      places.push_back({parent.depth + 1, parent.rank, rank});
      chances.push_back(std::min(left, at(places.back())));
      left -= chances.back();
    }
  }
  return chances;
}

OptimalTree likeliest_tree(const SiblingAcceptance& acceptance, const TreeBudget& budget) {
  budget.expect_valid();
  LikeliestGrowth growth(acceptance, budget);
  while (growth.can_go_on()) growth.take();
  return {growth.shape(), growth.tokens()};
}

std::vector<double> likeliest_tree_tokens(const SiblingAcceptance& acceptance,
                                          const TreeBudget& budget) {
  budget.expect_valid();
  LikeliestGrowth growth(acceptance, budget);
  std::vector<double> tokens{growth.tokens()};
  for (int nodes = 2; nodes <= budget.nodes; ++nodes) {
    if (growth.can_go_on()) growth.take();
    tokens.push_back(growth.tokens());
  }
  return tokens;
}

}  // namespace speclab::sim
