#pragma once
#include <vector>

#include "sim/monte_carlo/acceptance_process.h"

namespace speclab::sim {

/// Text that is easy or hard to draft, token by token.
struct MarkovParameters {
  double easy_acceptance = 0.9;  ///< in [0, 1]
  double hard_acceptance = 0.5;  ///< in [0, 1]
  double leave_easy = 0.1;       ///< in [0, 1]: chance that the token behind an easy one is hard
  double leave_hard = 0.1;       ///< in [0, 1]; not 0 together with leave_easy

  /// Share of easy tokens in a long text.
  double easy_share() const { return leave_hard / (leave_easy + leave_hard); }
  /// @throws ContractError if one is out of range
  void validate() const;
};

/// The text's state is a stationary Markov chain over the positions of the emitted sequence; a draft for a position is accepted
/// with the chance of its state. Rounds move through the text by what they emit, so how it is drafted does not change it.
class MarkovProcess final : public AcceptanceProcess {
 public:
  /// @throws ContractError as MarkovParameters::validate
  explicit MarkovProcess(const MarkovParameters& parameters);

  std::string name() const override { return "markov"; }
  void begin(const RngStream& stream, std::uint32_t sequence) override;
  int begin_round(std::uint32_t) override { return kMaxLevels; }
  DraftLevel level(int index) override;
  void advance(int emitted) override;

 private:
  enum class State : std::uint8_t { easy, hard };

  /// Tokens that the text stays in the state of its `sojourn`-th stretch.
  int draw_sojourn(std::uint32_t sojourn) const;

  MarkovParameters parameters_;
  double log_stay_easy_, log_stay_hard_;
  RngStream stream_{0};
  std::uint32_t sequence_ = 0;
  State first_state_ = State::easy;  ///< of the stretch at the front
  std::uint32_t next_sojourn_ = 0;   ///< to be drawn
  std::vector<int> sojourns_;        ///< tokens left of the stretches that are known, the one at hand first
  std::size_t front_ = 0;            ///< of sojourns_
};

}  // namespace speclab::sim
