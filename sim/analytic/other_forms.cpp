#include "sim/analytic/other_forms.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sim/analytic/arguments.h"
#include "sim/analytic/speedup.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"

namespace speclab::sim {

void BeamRound::expect_valid() const {
  expect_at_least(1, beam_width, "beam_width");
  expect_at_least(beam_width, draft_beam_width, "draft_beam_width");
  expect_at_least(0, speculation_length, "speculation_length");
}

long long beam_target_runs_per_round(const BeamRound& round) {
  round.expect_valid();
  return round.beam_width +
         static_cast<long long>(round.draft_beam_width) * round.speculation_length;
}

double beam_steps_per_round(double inclusion_rate, int speculation_length) {
  expect_probability(inclusion_rate, "inclusion_rate");
  return tokens_per_round(inclusion_rate, speculation_length);
}

double beam_operations_factor(double inclusion_rate, const BeamRound& round) {
  const auto runs = static_cast<double>(beam_target_runs_per_round(round));
  return runs / (round.beam_width * beam_steps_per_round(inclusion_rate, round.speculation_length));
}

double beam_speedup_bound(double inclusion_rate, int speculation_length, double cost_ratio) {
  expect_probability(inclusion_rate, "inclusion_rate");
  return predicted_speedup(inclusion_rate, speculation_length, cost_ratio);
}

void ForwardTimes::expect_valid() const {
  expect_positive(draft_time, "draft_time");
  expect_positive(target_time, "target_time");
  SPECLAB_EXPECT(draft_time <= target_time, "draft_time = " + std::to_string(draft_time) +
                                                "; allowed: at most target_time, " +
                                                std::to_string(target_time));
}

double dsi_expected_latency(double acceptance_rate, const ForwardTimes& times, int tokens) {
  expect_probability(acceptance_rate, "acceptance_rate");
  times.expect_valid();
  expect_at_least(1, tokens, "tokens");
  const double before_last = tokens - 1.0;
  return times.draft_time * acceptance_rate * before_last +
         times.target_time * ((1.0 - acceptance_rate) * before_last + 1.0);
}

double blocking_expected_latency(double acceptance_rate, int speculation_length,
                                 const ForwardTimes& times, int tokens) {
  times.expect_valid();
  expect_at_least(1, tokens, "tokens");
  const double rounds =
      expected_rounds(tokens_per_round_pmf(acceptance_rate, speculation_length), tokens);
  return rounds * (speculation_length * times.draft_time + times.target_time);
}

int dsi_target_servers(const ForwardTimes& times, int lookahead) {
  constexpr double kRounding = 1e-12, kMostServers = 1e9;
  times.expect_valid();
  expect_at_least(1, lookahead, "lookahead");
  const double servers =
      std::ceil(times.target_time / (lookahead * times.draft_time) * (1.0 - kRounding));
  SPECLAB_EXPECT(servers <= kMostServers,
                 std::to_string(servers) + " servers; allowed: at most 1e9");
  return static_cast<int>(servers);
}

void MlpSpeculatorShape::expect_valid() const {
  expect_at_least(1, base_hidden_size, "base_hidden_size");
  expect_at_least(1, vocab, "vocab");
  expect_at_least(1, heads, "heads");
  expect_at_least(1, inner_size, "inner_size");
}

long long mlp_parameters(const MlpSpeculatorShape& shape) {
  shape.expect_valid();
  const long long d = shape.inner_size;
  const long long stage = 2 * shape.vocab * d + 2 * d;  // embedding, head, scale and shift
  const long long later_stages = shape.heads - 1;
  const long long first_projection = shape.base_hidden_size * d;
  if (shape.tied) return stage + first_projection + std::min(later_stages, 1LL) * d * d;
  return shape.heads * stage + first_projection + later_stages * d * d;
}

long long mlp_multiplications(const MlpSpeculatorShape& shape) {
  shape.expect_valid();
  const long long d = shape.inner_size;
  return shape.heads * (shape.vocab * d) + shape.base_hidden_size * d + (shape.heads - 1) * d * d;
}

}  // namespace speclab::sim
