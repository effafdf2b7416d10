#pragma once
// Beam search with a draft: the draft keeps a beam of u, the target checks all of it at once; a
// step stands while the target's beam of w lies inside the draft's.

namespace speclab::sim {

struct BeamRound {
  int beam_width = 1;          ///< w of the target, >= 1
  int draft_beam_width = 1;    ///< u of the draft, >= w
  int speculation_length = 1;  ///< γ steps, >= 0

  /// @throws ContractError naming the field out of range
  void expect_valid() const;
};

/// Rows of the target's forward: w + u γ.
/// @throws ContractError if a field is out of range
/// @source Leviathan et al. 2023, Appendix A.4
long long beam_target_runs_per_round(const BeamRound& round);

/// Beam steps that a round takes, the target's own included, if each stands with the same chance,
/// independently: tokens_per_round.
/// @param inclusion_rate  in [0, 1]
/// @throws ContractError if an argument is out of range
/// @source ours, after Leviathan et al. 2023, Appendix A.4
double beam_steps_per_round(double inclusion_rate, int speculation_length);

/// Rows over those of plain beam search for the same steps: (w + u γ) / (w steps).
/// @throws ContractError if an argument is out of range
/// @source ours
double beam_operations_factor(double inclusion_rate, const BeamRound& round);

/// What no machine exceeds: the speed-up where a forward of any number of rows has one price, steps
/// / (1 + c γ).
/// @param cost_ratio  c of a draft step of u beams, >= 0
/// @throws ContractError if an argument is out of range
/// @source ours
double beam_speedup_bound(double inclusion_rate, int speculation_length, double cost_ratio);

}  // namespace speclab::sim
