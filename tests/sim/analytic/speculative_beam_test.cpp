#include "sim/analytic/other_forms.h"

#include <gtest/gtest.h>

#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

TEST(SpeculativeBeam, WithoutADraftIsBeamSearch) {
  const BeamRound plain{.beam_width = 4, .draft_beam_width = 6, .speculation_length = 0};
  EXPECT_EQ(beam_target_runs_per_round(plain), 4);
  EXPECT_EQ(beam_operations_factor(0.7, plain), 1.0);
  EXPECT_EQ(beam_speedup_bound(0.7, 0, 0.3), 1.0);
}

TEST(SpeculativeBeam, OfWidthOneIsAChain) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform();
    const int length = values.integer(0, 12);
    const BeamRound chain{.beam_width = 1, .draft_beam_width = 1, .speculation_length = length};
    EXPECT_EQ(beam_target_runs_per_round(chain), length + 1);
    EXPECT_EQ(beam_steps_per_round(rate, length), tokens_per_round(rate, length));
    EXPECT_NEAR(beam_operations_factor(rate, chain), (length + 1) / tokens_per_round(rate, length),
                1e-13);
  });
}

TEST(SpeculativeBeam, CostsMoreOperationsTheWiderTheDraftAndIsNeverFasterThanItsSteps) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform();
    BeamRound round{.beam_width = values.integer(1, 8),
                    .draft_beam_width = 0,
                    .speculation_length = values.integer(1, 8)};
    round.draft_beam_width = round.beam_width + values.integer(0, 8);
    const double factor = beam_operations_factor(rate, round);
    EXPECT_GE(factor, 1.0 - 1e-13);
    ++round.draft_beam_width;
    EXPECT_GT(beam_operations_factor(rate, round), factor);
    EXPECT_LE(beam_speedup_bound(rate, round.speculation_length, values.uniform()),
              beam_steps_per_round(rate, round.speculation_length));
  });
  EXPECT_EQ(beam_steps_per_round(1.0, 3), 4.0);
  EXPECT_EQ(beam_steps_per_round(0.0, 3), 1.0);
}

TEST(SpeculativeBeam, RefusesArgumentsOutOfRange) {
  const std::vector<BeamRound> broken{{0, 1, 1}, {-1, 1, 1}, {4, 3, 1}, {4, 4, -1}};
  expect_refused([](const BeamRound& round) { beam_target_runs_per_round(round); }, broken);
  expect_refused([](const BeamRound& round) { beam_operations_factor(0.5, round); }, broken);
  expect_refused([](double rate) { beam_steps_per_round(rate, 3); }, kNoProbability);
  expect_refused([](double rate) { beam_operations_factor(rate, {1, 1, 1}); }, kNoProbability);
  expect_refused([](double rate) { beam_speedup_bound(rate, 3, 0.1); }, kNoProbability);
  expect_refused([](double cost) { beam_speedup_bound(0.5, 3, cost); }, kNegative);
  EXPECT_THROW(beam_steps_per_round(0.5, -1), ContractError);
}

}  // namespace
}  // namespace speclab::sim
