#pragma once
// Draws the verdicts of simulated rounds: a process says how likely a level is accepted, chance
// decides here.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/records.h"
#include "sim/core/token_tree.h"
#include "sim/monte_carlo/acceptance_process.h"

namespace speclab::sim {

/// A path down a tree: how far it came, and what it met.
struct TreePath {
  int accepted = 0;
  int tested = 0;
  bool ended_at_leaf = false;  ///< so that a bonus token follows
};

/// A shape with the chances of its ranks, ready for paths to be drawn through it.
///
/// rank_acceptance[b] is the chance that child b of a node is the accepted one, given that the node
/// was. A process changes the first rank's chance from level to level; the later ranks then catch
/// the same shares of what the first leaves: with the first at a they have (1 - a)
/// rank_acceptance[b] / (1 - rank_acceptance[0]), which at a = rank_acceptance[0] is what was
/// given.
class DraftTree {
 public:
  /// @throws ContractError if rank_acceptance is no sub-probability or shorter than the widest node
  DraftTree(const TreeShape& shape, std::vector<double> rank_acceptance);

  int depth() const { return static_cast<int>(rows_of_depth_.size()) - 1; }
  /// Target rows of the tree cut to `levels` levels, root included. @param levels  0 to depth()
  int rows(int levels) const { return rows_of_depth_[static_cast<std::size_t>(levels)]; }

  /// Draws a path through the tree cut to `levels` levels.
  /// @param acceptance_of_level  of the first rank at a level, counted from 0. @param coin_of_level
  /// a uniform for that level
  template <typename Acceptance, typename Coin>
  TreePath walk(int levels, const Acceptance& acceptance_of_level,
                const Coin& coin_of_level) const {
    TreePath path;
    for (std::size_t node = 0; nodes_[node].children > 0 && path.accepted < levels;) {
      const int rank = accepted_rank(acceptance_of_level(path.accepted),
                                     coin_of_level(path.accepted), nodes_[node].children);
      if (rank == kNone) {
        path.tested += nodes_[node].children;
        return path;
      }
      path.tested += rank + 1;
      node = static_cast<std::size_t>(nodes_[node].first_child + rank);
      ++path.accepted;
    }
    path.ended_at_leaf = true;
    return path;
  }

 private:
  static constexpr int kNone = -1;

  struct Node {
    int first_child = 0;
    int children = 0;
  };

  /// The child, from 0, that the coin accepts, or kNone.
  int accepted_rank(double first_acceptance, double coin, int children) const {
    for (int rank = 0; rank < children; ++rank)
      if (coin < first_acceptance +
                     (1.0 - first_acceptance) * sibling_share_[static_cast<std::size_t>(rank)])
        return rank;
    return kNone;
  }

  std::vector<double> rank_acceptance_;
  std::vector<double>
      sibling_share_;  ///< [b]: what ranks 1 to b catch of what rank 0 leaves; [0] is 0
  std::vector<Node> nodes_;
  std::vector<int> rows_of_depth_;
};

/// Keys have the round in place of the position, since positions follow from verdicts: chains take
/// one uniform a round, draw 1 of purpose accept; branching trees one a level, from draw 1 on; what
/// is hidden in a process has draw 0. Verdicts do not depend on how many rounds are drawn ahead.
class RoundSource {
 public:
  /// @param process  must outlive the source. @param tree  none: chains as long as the policy asks
  /// for
  /// @throws ContractError for a tree over a logged process, which does not know what follows a
  /// sibling
  RoundSource(AcceptanceProcess& process, std::uint64_t seed, const std::optional<DraftTree>& tree);

  void begin(std::uint32_t sequence);
  void begin_round(std::uint32_t round) {
    round_ = round;
    if (!fixed_) available_ = process_.begin_round(round);
    if (tree_ == nullptr && round - block_begin_ >= block_size_) draw_block(round);
  }
  /// The round with a draft of at most `levels` levels; may be asked again with others. Sets
  /// drafted, rows, depth, accepted, tested and next_kind of `record`.
  /// @param stop_below  the draft ends behind the first level of a lower confidence; 0 ends none
  /// @return whether all was accepted that the process had while more was asked for
  /// @throws ContractError if stop_below is not 0 and there are no confidences (logged processes)
  /// or no chain
  bool draw(int levels, double stop_below, RoundRecord& record) {
    if (!fixed_ || tree_ != nullptr || stop_below > 0.0 || levels < 0 || levels > kMaxLevels)
      return draw_any(levels, stop_below, record);
    set_chain(record, levels, accepted_fixed(levels));
    return false;
  }
  /// The round emitted that many tokens.
  void advance(int emitted) {
    if (!fixed_) process_.advance(emitted);
  }

 private:
  static constexpr std::size_t kBlock = 64;  ///< rounds drawn ahead
  static constexpr int kWideLevels = 8;      ///< of which the run is counted for a block at once

  void draw_block(std::uint32_t first_round);
  std::uint64_t threshold(int level);
  int drafted_levels(int levels, double stop_below);
  int accepted_of(int depth);
  int accepted_fixed(int depth) {
    const auto index = static_cast<std::size_t>(round_ - block_begin_);
    const auto run = static_cast<int>(runs_[index]);
    return depth <= kWideLevels || run < kWideLevels ? std::min(run, depth)
                                                     : accepted_beyond(run, depth);
  }
  int accepted_beyond(int run, int depth);
  static void set_chain(RoundRecord& record, int depth, int accepted) {
    record.drafted = depth;
    record.rows = depth + 1;
    record.depth = depth;
    record.accepted = accepted;
    record.tested = std::min(depth, accepted + 1);
    record.next_kind = accepted == depth ? NextKind::bonus : NextKind::recovered;
  }
  bool draw_any(int levels, double stop_below, RoundRecord& record);
  void draw_tree(int levels, RoundRecord& record);

  AcceptanceProcess& process_;
  RngStream stream_;
  const DraftTree* tree_;
  std::uint32_t sequence_ = 0;
  std::uint32_t round_ = 0;
  int available_ = 0;      ///< levels of the round at hand
  bool fixed_ = false;     ///< the sequence has fixed levels
  double survival_ = 1.0;  ///< of as many levels as there are thresholds
  std::vector<std::uint64_t>
      thresholds_;                 ///< [level]: bits below it accept that level and all before it
  std::uint32_t block_begin_ = 0;  ///< first round of the block
  std::size_t block_size_ = 0;
  std::array<std::uint64_t, kBlock> bits_{};
  std::array<std::uint32_t, kBlock> runs_{};  ///< of fixed levels, counted up to kWideLevels
};

}  // namespace speclab::sim
