#pragma once
// Distributed speculative inference: the draft goes on while target servers verify what it wrote.

namespace speclab::sim {

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

}  // namespace speclab::sim
