#pragma once
// Processes that decide, without a model, whether a drafted token is accepted: their interface, and
// those that follow a law.

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "sim/analytic/acceptance_mixtures.h"
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

/// Acceptance by level of the draft, the same in all rounds and sequences; with one level it is
/// i.i.d.
class PositionProcess final : public AcceptanceProcess {
 public:
  /// @param conditional_acceptance  [level], each in [0, 1], the last for all later levels. @throws
  /// ContractError if empty or out of range
  explicit PositionProcess(std::vector<double> conditional_acceptance);

  std::string name() const override {
    return conditional_acceptance_.size() == 1 ? "iid" : "per_position";
  }
  void begin(const RngStream&, std::uint32_t) override {}
  int begin_round(std::uint32_t) override { return kMaxLevels; }
  DraftLevel level(int index) override;
  void advance(int) override {}
  std::span<const double> fixed_levels() const override { return conditional_acceptance_; }

 private:
  std::vector<double> conditional_acceptance_;
};

/// One acceptance rate for all. @param acceptance_rate  α in [0, 1]. @throws ContractError if it is
/// out of range
inline PositionProcess iid_process(double acceptance_rate) {
  return PositionProcess({acceptance_rate});
}

/// A beta law of acceptance rates over prompts.
struct BetaParameters {
  double a = 1.0;  ///< > 0
  double b = 1.0;  ///< > 0

  double mean() const { return a / (a + b); }
  /// @throws ContractError if one is not positive and finite
  void validate() const;
};

/// Every sequence has an acceptance rate of its own, drawn from a beta law; within it rounds are
/// i.i.d.
class BetaProcess final : public AcceptanceProcess {
 public:
  /// @throws ContractError as BetaParameters::validate
  explicit BetaProcess(const BetaParameters& parameters);

  std::string name() const override { return "beta_mixed"; }
  void begin(const RngStream& stream, std::uint32_t sequence) override;
  int begin_round(std::uint32_t) override { return kMaxLevels; }
  DraftLevel level(int) override {
    return {.acceptance = acceptance_rate_, .confidence = acceptance_rate_};
  }
  void advance(int) override {}
  std::span<const double> fixed_levels() const override { return {&acceptance_rate_, 1}; }

 private:
  BetaParameters parameters_;
  double acceptance_rate_ = 0.0;
};

/// The text's state is a stationary Markov chain over the positions of the emitted sequence; a
/// draft for a position is accepted by the rate of its state. Rounds move through the text by what
/// they emit, so how it is drafted does not change it.
class TwoStateProcess final : public AcceptanceProcess {
 public:
  /// @throws ContractError if a field is out of range
  explicit TwoStateProcess(const TwoStateAcceptance& places);

  std::string name() const override { return "two_state"; }
  void begin(const RngStream& stream, std::uint32_t sequence) override;
  int begin_round(std::uint32_t) override { return kMaxLevels; }
  DraftLevel level(int index) override;
  void advance(int emitted) override;

 private:
  /// Tokens that the text stays in the state of its `sojourn`-th stretch.
  int draw_sojourn(std::uint32_t sojourn) const;

  TwoStateAcceptance places_;
  double easy_share_;
  std::array<double, 2> log_stay_;  ///< by state
  RngStream stream_{0};
  std::uint32_t sequence_ = 0;
  std::size_t first_state_ = 0;     ///< of the stretch at the front: 0 easy, 1 hard
  std::uint32_t next_sojourn_ = 0;  ///< to be drawn
  std::vector<int>
      sojourns_;           ///< tokens left of the stretches that are known, the one at hand first
  std::size_t front_ = 0;  ///< of sojourns_
};

}  // namespace speclab::sim
