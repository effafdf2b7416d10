#pragma once
// Draws the verdicts of simulated rounds: a process says how likely a level is accepted, chance decides here.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/monte_carlo/acceptance_process.h"
#include "sim/monte_carlo/draft_tree.h"

namespace speclab::sim {

/// What a round came to.
struct RoundDraw {
  int depth = 0;  ///< levels drafted
  int rows = 1;   ///< of the target's forward
  int accepted = 0;
  int tested = 0;
  bool bonus = true;  ///< the path ended at a leaf
};

/// Chains take one uniform a round, the key's draw 1; branching trees one a level, from draw 1 on. Verdicts do not depend on how
/// many rounds are drawn ahead.
class RoundSource {
 public:
  /// @param process  must outlive the source. @param tree  none: chains as long as the policy asks for
  /// @throws ContractError for a tree over a logged process, which does not know what follows a sibling
  RoundSource(AcceptanceProcess& process, std::uint64_t seed, const std::optional<DraftTree>& tree);

  void begin(std::uint32_t sequence);
  void begin_round(std::uint32_t round);
  /// The round with a draft of at most `levels` levels; may be asked again with others.
  /// @param stop_below  the draft ends behind the first level of a lower confidence; 0 ends none
  /// @throws ContractError if it is not 0 and there are no confidences (logged processes) or no chain
  RoundDraw draw(int levels, double stop_below);

 private:
  static constexpr std::size_t kBlock = 64;       ///< rounds drawn ahead
  static constexpr std::size_t kWideLevels = 8;   ///< of which the run is counted for a block at once

  void draw_block(std::uint32_t first_round);
  std::uint64_t threshold(int level);
  int drafted_levels(int levels, double stop_below);
  int accepted_of(int depth);
  int accepted_fixed(int depth);
  RoundDraw draw_tree(int levels);

  AcceptanceProcess& process_;
  RngStream stream_;
  const DraftTree* tree_;
  std::uint32_t sequence_ = 0;
  std::uint32_t round_ = 0;
  int available_ = 0;                     ///< levels of the round at hand
  bool fixed_ = false;                    ///< the sequence has fixed levels
  double survival_ = 1.0;                 ///< of as many levels as there are thresholds
  std::vector<std::uint64_t> thresholds_; ///< [level]: bits below it accept that level and all before it
  std::uint32_t block_begin_ = 0;         ///< first round of the block; none is drawn yet where it lies beyond round_
  std::size_t block_size_ = 0;
  std::array<std::uint64_t, kBlock> bits_{};
  std::array<std::uint32_t, kBlock> runs_{};  ///< of fixed levels, counted up to kWideLevels
};

}  // namespace speclab::sim
