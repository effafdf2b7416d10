#pragma once
// The default speculation-length policy: what pays, by a measured cost surface and the acceptance
// seen so far.

#include <memory>
#include <optional>
#include <vector>

#include "sim/analytic/acceptance_tracker.h"
#include "sim/analytic/cost_surface.h"
#include "sim/analytic/depth_costs.h"
#include "sim/analytic/round_model.h"
#include "sim/core/speculation_length_policy.h"

namespace speclab::sim {

struct AutoPolicyOptions {
  std::shared_ptr<const CostSurface> costs;  ///< kinds target, draft and overhead
  AcceptancePrior prior{};
  int max_length = 8;  ///< levels, in [0, 4095]
  std::vector<int>
      rows_of_depth{};          ///< target rows of a draft with d levels; empty: d + 1, a chain
  int initial_context = 0;      ///< tokens in the cache before the first round, >= 0
  double forgetting = 0.95;     ///< in (0, 1]
  double required_gain = 1.02;  ///< draft only where rounds with a draft are this many times as
                                ///< fast as plain ones; >= 1
  double loss_fraction =
      0.01;  ///< ε: time that may be lost against plain decoding, per plain step; >= 0
  double loss_allowance = 1.0;  ///< A: plain steps that may be lost on top; >= 0
  int probe_interval =
      8;  ///< plain rounds before the first probe, >= 1; doubled by every probe that fails
  int max_probe_interval = 64;  ///< >= probe_interval

  /// @throws ConfigError naming the first field out of range; prior and forgetting are checked
  /// where they are used
  void validate() const;
};

/// Picks the length with the most expected tokens per time, and 0 where drafting does not pay.
/// After 0 it probes now and then, at doubling intervals, so that a sequence that becomes easy is
/// noticed; a round in which the drafter found nothing to propose costs nothing and is no probe.
///
/// It keeps an account of what drafting has gained or lost against plain decoding, by the cost
/// surface, and drafts only what the account can lose. So, whatever is accepted, the modelled time
/// of N tokens is at most (N (1 + ε) + A) plain steps: with the defaults at least 0.982 of plain
/// speed at N = 128, not counting what the drafter takes to read the prompt, once.
///
/// Only past verdicts decide, never the tokens about to be submitted and never a clock.
class AutoPolicy final : public SpeculationLengthPolicy {
 public:
  /// @throws ConfigError if an option is out of range, ContractError if the prior or the forgetting
  /// is or the surface lacks a kind
  explicit AutoPolicy(AutoPolicyOptions options);
  int next_length() override;
  void observe(const RoundRecord& round) override;
  std::unique_ptr<SpeculationLengthPolicy> fresh() const override {
    return std::unique_ptr<AutoPolicy>(new AutoPolicy(start_));
  }
  std::string name() const override { return "auto"; }

 private:
  /// What all sequences begin with.
  struct Start {
    explicit Start(AutoPolicyOptions checked);
    AutoPolicyOptions options;
    std::optional<DepthCosts> costs;  ///< none where nothing may be drafted
    AcceptanceTracker tracker;
    RoundModel model;  ///< of the right size
  };

  explicit AutoPolicy(std::shared_ptr<const Start> start);
  void update_model();
  int paying_length() const;
  int affordable(int length) const;

  std::shared_ptr<const Start> start_;  ///< shared with all fresh policies of these options
  const AutoPolicyOptions& options_;    ///< its own
  AcceptanceTracker tracker_;
  RoundModel model_;
  int context_;
  int requested_ = 0;
  bool account_open_ = false;
  double account_ns_ = 0.0;  ///< what may still be lost
  int plain_rounds_ = 0;     ///< since the last round that drafted
  int probe_interval_;
};

}  // namespace speclab::sim
