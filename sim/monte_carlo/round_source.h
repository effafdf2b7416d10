#pragma once
// Draws the verdicts of simulated rounds: a process says how likely a level is accepted, chance
// decides here.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/records.h"
#include "sim/monte_carlo/acceptance_process.h"
#include "sim/monte_carlo/draft_tree.h"

namespace speclab::sim {

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
