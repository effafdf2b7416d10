#include "experiments/drivers/measure/second_decoding.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

TEST(LawDistance, IsTheMeanOverEmittedTokens) {
  // Two accepted and a bonus; one accepted, one rejected; nothing drafted.
  const std::vector<std::vector<double>> distances{{0.1, 0.2}, {0.3, 0.4, 0.9}, {}};
  const std::vector<RoundRecord> rounds{{.accepted = 2, .tested = 2, .emitted = 3},
                                        {.accepted = 1, .tested = 2, .emitted = 2},
                                        {.emitted = 1}};
  EXPECT_NEAR(mean_distance(distances, rounds), (0.1 + 0.2 + 0.3 + 0.4) / 6, 1e-12);
}

TEST(LawDistance, LeavesOutWhatAStopRuleCut) {
  EXPECT_NEAR(mean_distance({{0.1, 0.2, 0.4}}, {{{.accepted = 3, .tested = 3, .emitted = 2}}}),
              (0.1 + 0.2) / 2, 1e-12);
}

TEST(LawDistance, NeedsEveryRound) { EXPECT_THROW(mean_distance({{0.1}}, {}), ContractError); }

}  // namespace
}  // namespace speclab::experiments
