#include "sim/analytic/speculative_beam.h"

#include "sim/analytic/arguments.h"
#include "sim/analytic/speedup.h"
#include "sim/analytic/tokens_per_round.h"

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

}  // namespace speclab::sim
