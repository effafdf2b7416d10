#pragma once
#include <vector>

#include "sim/monte_carlo/acceptance_process.h"

namespace speclab::sim {

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

}  // namespace speclab::sim
