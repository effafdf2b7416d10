#pragma once
// The policy `auto` written down step by step: each number from its definition, each round anew.

#include <vector>

#include "sim/policies/auto_policy.h"

namespace speclab::testing {

/// Slow truth beside sim::AutoPolicy: what it decides must be decided there too, round by round.
class ReferenceAutoPolicy {
 public:
  /// @param options  as AutoPolicy takes them
  explicit ReferenceAutoPolicy(sim::AutoPolicyOptions options);
  int next_length();
  void observe(const RoundRecord& round);

 private:
  struct Counts {
    double trials = 0.0, successes = 0.0;
  };

  std::vector<double> costs_here() const;
  double surprise() const;
  double conditional_acceptance(int level) const;
  double reach(int level) const;
  /// Expected tokens over expected time of rounds that may draft `length` levels. @param hit_rate
  /// that of the first level
  double tokens_per_ns(int length, double hit_rate) const;
  int best_length(int shortest) const;

  sim::AutoPolicyOptions options_;
  std::vector<Counts> acceptance_, reach_;  ///< by level
  int context_;
  std::vector<double> cost_ns_;  ///< [depth] at the last decision
  int requested_ = 0;
  bool account_open_ = false;
  double account_ns_ = 0.0;
  int plain_rounds_ = 0;
  int probe_interval_;
};

}  // namespace speclab::testing
