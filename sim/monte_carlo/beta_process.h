#pragma once
#include "sim/monte_carlo/acceptance_process.h"

namespace speclab::sim {

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

}  // namespace speclab::sim
