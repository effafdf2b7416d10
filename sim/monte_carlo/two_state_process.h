#pragma once
#include <array>
#include <vector>

#include "sim/analytic/acceptance_mixtures.h"
#include "sim/monte_carlo/acceptance_process.h"

namespace speclab::sim {

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
