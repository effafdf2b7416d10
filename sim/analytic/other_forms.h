#pragma once
// Speculation in other forms than rounds of one drafter on one machine: beams, servers that verify
// while the draft goes on, and heads on the target's own states.

namespace speclab::sim {

// Beam search with a draft. The draft keeps a beam of u, and the target checks all of it at once. A
// step stands while the target's beam of w lies inside the draft's.

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

// Distributed speculative inference: the draft goes on while target servers verify what it wrote.

/// Forwards of the two models, in any one unit of time.
struct ForwardTimes {
  double draft_time = 0.0;   ///< > 0
  double target_time = 1.0;  ///< >= draft_time

  /// @throws ContractError naming the field out of range
  void expect_valid() const;
};

/// Expected time of N tokens with enough servers and a lookahead of 1: t_d α (N - 1) + t_t ((1 -
/// α)(N - 1) + 1). Each accepted token costs a draft forward, each rejected one and the last a
/// target forward.
/// @param acceptance_rate  α in [0, 1]
/// @param tokens           N >= 1
/// @throws ContractError if an argument is out of range
/// @source DSI (Timor et al. 2024), re-derived
double dsi_expected_latency(double acceptance_rate, const ForwardTimes& times, int tokens);

/// The same with drafting and verifying in turn: R(N) (γ t_d + t_t), R from expected_rounds.
/// @param speculation_length  γ >= 0
/// @throws ContractError if an argument is out of range
/// @source ours
double blocking_expected_latency(double acceptance_rate, int speculation_length,
                                 const ForwardTimes& times, int tokens);

/// Target servers that keep up with the draft: ceil(t_t / (lookahead t_d)). A ratio within 1e-12 of
/// an integer is that integer.
/// @param lookahead  tokens drafted between two verifications, >= 1
/// @throws ContractError if an argument is out of range, or the count above 1e9
/// @source DSI (Timor et al. 2024), released code
int dsi_target_servers(const ForwardTimes& times, int lookahead);

// MLP speculators: heads on the base model's last hidden state, each fed with the token before it.

struct MlpSpeculatorShape {
  int base_hidden_size = 4096;  ///< E, width of the base model's hidden state, >= 1
  int vocab = 32000;            ///< V >= 1
  int heads = 3;                ///< n >= 1
  int inner_size = 4096;        ///< d >= 1
  bool tied = false;  ///< one embedding, head and normalisation for all stages, one projection for
                      ///< all but the first

  /// @throws ContractError naming the field out of range
  void expect_valid() const;
};

/// Weights: untied n (2 V d + 2 d) + E d + (n - 1) d^2; tied 2 V d + E d + d^2 + 2 d, without the
/// d^2 for a single head, which has no second stage.
/// @throws ContractError if a field is out of range
/// @source IBM 2024, released code of the MLP speculator
long long mlp_parameters(const MlpSpeculatorShape& shape);

/// Multiplications of one draft of n tokens, tied or not: the projections, E d and (n - 1) d^2, and
/// n heads of V d. A row of the embedding is looked up.
/// @throws ContractError if a field is out of range
/// @source as mlp_parameters
long long mlp_multiplications(const MlpSpeculatorShape& shape);

}  // namespace speclab::sim
