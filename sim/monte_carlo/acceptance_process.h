#pragma once
// What decides, without a model, whether a drafted token is accepted.

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "sim/core/rng_stream.h"

namespace speclab::sim {

inline constexpr int kMaxLevels = 4095;  ///< of a draft, as TreeShape has it

/// One level of the round at hand: the drafter's first choice there.
struct DraftLevel {
  double acceptance =
      0.0;  ///< in [0, 1]: given that all before it were accepted, and all that is hidden
  double confidence = 0.0;  ///< in [0, 1]: probability that the drafter gave its token; NaN where
                            ///< that was not logged
};

/// A process is asked sequence by sequence and round by round. What is hidden (a prompt's
/// acceptance, the state of the text) it draws itself, by keys of its own; the verdicts are the
/// simulator's to draw. So the same keys give the same verdicts in whatever pieces the rounds are
/// asked for.
///
/// Where a process has no notion of a confidence it says the acceptance: the drafter is taken to
/// know its own chances, which bounds what a confidence policy can gain.
class AcceptanceProcess {
 public:
  virtual ~AcceptanceProcess() = default;
  virtual std::string name() const = 0;

  /// A new sequence begins.
  virtual void begin(const RngStream& stream, std::uint32_t sequence) = 0;
  /// A new round of it begins. @return levels that there are to be drafted, at most kMaxLevels
  virtual int begin_round(std::uint32_t round) = 0;
  /// Level `index`, from 0, of this round; the same whenever it is asked. @param index  less than
  /// what begin_round returned
  virtual DraftLevel level(int index) = 0;
  /// The round emitted that many tokens.
  virtual void advance(int emitted) = 0;

  /// Acceptance by level, the last holding for all later levels, where every round of the sequence
  /// has that and no more to it; empty for other processes. It lets rounds be drawn by the block.
  virtual std::span<const double> fixed_levels() const { return {}; }
  /// Tokens that the sequence has to give.
  virtual int tokens() const { return std::numeric_limits<int>::max(); }
  /// What was logged or counted holds no confidences and does not know what would have followed a
  /// sibling.
  virtual bool is_logged() const { return false; }
};

}  // namespace speclab::sim
