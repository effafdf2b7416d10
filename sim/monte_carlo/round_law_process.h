#pragma once
#include <vector>

#include "sim/analytic/generation.h"
#include "sim/core/chance.h"
#include "sim/monte_carlo/acceptance_process.h"

namespace speclab::sim {

/// Each round draws (depth, accepted) from a law of rounds, whatever dependence the two have there;
/// shorter drafts are cut from it.
class RoundLawProcess final : public AcceptanceProcess {
 public:
  /// @param law  of rounds at the greatest length. @throws ContractError if it is empty or an
  /// outcome is out of range
  explicit RoundLawProcess(RoundLaw law);

  std::string name() const override { return "round_law"; }
  void begin(const RngStream& stream, std::uint32_t sequence) override;
  int begin_round(std::uint32_t round) override;
  DraftLevel level(int index) override;
  void advance(int) override {}
  bool is_logged() const override { return true; }

 private:
  RoundLaw law_;
  std::vector<double> weights_;
  PhiloxChance chance_{0};
  std::uint32_t sequence_ = 0;
  int accepted_ = 0;
};

}  // namespace speclab::sim
