#include "experiments/bench/simulation/reference_rounds.h"

#include <algorithm>
#include <cmath>

namespace speclab::bench {
namespace {

/// Children of a node, in rank order.
std::vector<int> children_of(const TreeShape& shape, int node) {
  std::vector<int> children;
  for (int child = 1; child <= shape.num_nodes(); ++child)
    if (shape.parents()[static_cast<std::size_t>(child - 1)] == node) children.push_back(child);
  return children;
}

int depth_of(const TreeShape& shape, int node) {
  int depth = 0;
  for (; node > 0; node = shape.parents()[static_cast<std::size_t>(node - 1)]) ++depth;
  return depth;
}

int nodes_up_to(const TreeShape& shape, int levels) {
  int nodes = 0;
  for (int node = 1; node <= shape.num_nodes(); ++node)
    nodes += depth_of(shape, node) <= levels ? 1 : 0;
  return nodes;
}

/// The child that the coin accepts, -1 for none: later ranks catch their shares of what the first
/// leaves.
int accepted_child(const std::vector<double>& rank_acceptance, double first_acceptance, double coin,
                   std::size_t children) {
  double reached = 0.0;
  for (std::size_t rank = 0; rank < children; ++rank) {
    reached += rank == 0
                   ? first_acceptance
                   : (1.0 - first_acceptance) * rank_acceptance[rank] / (1.0 - rank_acceptance[0]);
    if (coin < reached) return static_cast<int>(rank);
  }
  return -1;
}

}  // namespace

RoundRecord ReferenceRounds::chain_round(std::uint32_t sequence, std::uint32_t round, int levels,
                                         double stop_below) {
  RoundRecord record;
  while (record.depth < levels) {
    ++record.depth;
    if (stop_below > 0.0 && process_.level(record.depth - 1).confidence < stop_below) break;
  }
  const double uniform = stream_.uniform({sequence, round, Purpose::accept, 1});
  double survival = 1.0;
  for (int level = 0; level < record.depth; ++level) {
    ++record.tested;
    survival *= process_.level(level).acceptance;
    if (uniform >= survival) break;
    ++record.accepted;
  }
  record.rows = plan_.rows(record.depth);
  record.next_kind = record.accepted == record.depth ? NextKind::bonus : NextKind::recovered;
  return record;
}

RoundRecord ReferenceRounds::tree_round(std::uint32_t sequence, std::uint32_t round, int levels,
                                        const ReferenceTree& tree) {
  RoundRecord record;
  record.depth = std::min(levels, tree.shape.depth());
  record.rows = 1 + nodes_up_to(tree.shape, record.depth);
  for (int node = 0;;) {
    const std::vector<int> children =
        record.accepted < record.depth ? children_of(tree.shape, node) : std::vector<int>{};
    if (children.empty()) return record;
    const double coin = stream_.uniform(
        {sequence, round, Purpose::accept, 1 + static_cast<std::uint32_t>(record.accepted)});
    const int rank = accepted_child(
        tree.rank_acceptance, process_.level(record.accepted).acceptance, coin, children.size());
    record.tested += rank < 0 ? static_cast<int>(children.size()) : rank + 1;
    record.next_kind = rank < 0 ? NextKind::recovered : NextKind::bonus;
    if (rank < 0) return record;
    node = children[static_cast<std::size_t>(rank)];
    ++record.accepted;
  }
}

void ReferenceRounds::add_times(RoundRecord& record) const {
  if (costs_ == nullptr) return;
  record.target_ns = std::llround(costs_->t_target_ns(record.rows, record.position));
  record.draft_ns = std::llround(costs_->t_draft_ns(record.depth, record.position));
  record.other_ns = std::llround(costs_->overhead_ns(record.rows, record.position));
}

std::vector<RoundRecord> ReferenceRounds::generate(SpeculationLengthPolicy& policy,
                                                   std::uint32_t sequence,
                                                   const std::optional<ReferenceTree>& tree) {
  std::vector<RoundRecord> rounds;
  process_.begin(stream_, sequence);
  int emitted = 0;
  const int tokens = std::min(plan_.new_tokens, process_.tokens());
  for (std::uint32_t round = 0; emitted < tokens; ++round) {
    const int available = process_.begin_round(round);
    int levels = std::min(policy.next_length(), available);
    if (plan_.end_rule == sim::EndRule::drafts_what_can_be_emitted)
      levels = std::min(levels, tokens - emitted - 1);
    RoundRecord record = tree ? tree_round(sequence, round, levels, *tree)
                              : chain_round(sequence, round, levels, policy.stop_below());
    record.round = static_cast<std::int32_t>(round);
    record.drafted = record.rows - 1;
    record.position = plan_.prompt_tokens + emitted;
    record.emitted = std::min(record.accepted + 1, tokens - emitted);
    add_times(record);
    policy.observe(record);
    process_.advance(record.emitted);
    emitted += record.emitted;
    rounds.push_back(record);
  }
  return rounds;
}

}  // namespace speclab::bench
