#include "sim/monte_carlo/place_process.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/analytic/acceptance_mixtures.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/monte_carlo/simulated_generation.h"
#include "sim/policies/simple_policies.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

std::vector<double> powers(double rate, int levels) {
  std::vector<double> survival;
  for (int level = 1; level <= levels; ++level) survival.push_back(std::pow(rate, level));
  return survival;
}

SimulatedGeneration simulated(const PlaceAcceptance& places, int length) {
  PlaceProcess process(places);
  return simulate_generation(ConstantPolicy(length), process, {.new_tokens = 2000}, nullptr,
                             {.generations = 100, .seed = 7});
}

double tokens_per_round(const SimulatedGeneration& simulation) {
  return static_cast<double>(simulation.totals.emitted) /
         static_cast<double>(simulation.totals.rounds);
}

/// Defect: runs behind a miss are taken from all places, or a level too long.
TEST(PlaceProcess, RunsOfIndependentPlacesFallGeometrically) {
  const std::vector<double> runs = runs_behind_misses({.survival = powers(0.7, 4)});
  ASSERT_GT(runs.size(), 8U);
  for (std::size_t length = 0; length < runs.size(); ++length)
    EXPECT_NEAR(runs[length], std::pow(0.7, length), 2e-6) << length;
}

/// Defect: rounds step over the place of a recovered or a bonus token, or not over it.
TEST(PlaceProcess, IndependentPlacesGiveTheClosedForm) {
  for (const int length : {1, 3, 6})
    EXPECT_NEAR(tokens_per_round(simulated({.survival = powers(0.7, 4)}, length)),
                sim::tokens_per_round(0.7, length), 0.02)
        << length;
}

/// Defect: rounds begin at any place, and not behind rejections, which stand at hard ones.
TEST(PlaceProcess, RoundsBeginAtHarderPlaces) {
  const TwoStateAcceptance text{
      .acceptance_rate = {0.95, 0.2}, .easy_to_hard = 0.1, .hard_to_easy = 0.1};
  constexpr int kLength = 4, kLevels = 12;
  // S(d) of all places, by the two states' recursion.
  std::vector<double> survival;
  double easy = text.easy_share(), hard = 1 - easy;
  for (int level = 0; level < kLevels; ++level) {
    easy *= text.acceptance_rate[0], hard *= text.acceptance_rate[1];
    survival.push_back(easy + hard);
    const double stays = easy * (1 - text.easy_to_hard) + hard * text.hard_to_easy;
    hard = easy * text.easy_to_hard + hard * (1 - text.hard_to_easy);
    easy = stays;
  }
  double of_all_places = 1;
  for (int level = 0; level < kLength; ++level)
    of_all_places += survival[static_cast<std::size_t>(level)];
  const double expected = tokens_per_round_two_state(text, kLength);
  EXPECT_GT(of_all_places, expected + 0.3);
  EXPECT_NEAR(tokens_per_round(simulated({.survival = survival}, kLength)), expected, 0.06);
}

/// Defect: a drafter that finds nothing to copy drafts all the same.
TEST(PlaceProcess, DraftsWhereTheDrafterHits) {
  const SimulatedGeneration simulation =
      simulated({.hit_rate = 0.3, .survival = {0.0}, .most_levels = 2}, 5);
  EXPECT_EQ(simulation.totals.accepted, 0);
  EXPECT_NEAR(static_cast<double>(simulation.totals.drafted) /
                  static_cast<double>(simulation.totals.rounds),
              2 * 0.3, 0.02);
}

/// Defect: equal shares at two levels end all runs, and better counts give shorter ones.
TEST(PlaceProcess, MoreKeptPlacesGiveMoreTokens) {
  const double fewer = tokens_per_round(simulated({.survival = {0.4, 0.3, 0.2}}, 4)),
               more = tokens_per_round(simulated({.survival = {0.4, 0.4, 0.2}}, 4));
  EXPECT_GT(more, fewer);
}

TEST(PlaceProcess, RefusesSharesThatRise) {
  EXPECT_THROW(PlaceProcess({.survival = {0.4, 0.5}}), ContractError);
  EXPECT_THROW(PlaceProcess({.hit_rate = 0.3, .survival = {0.4}}), ContractError);
  EXPECT_THROW(PlaceProcess({.survival = {}}), ContractError);
  EXPECT_THROW(PlaceProcess({.survival = {1.0}}), ContractError);
}

}  // namespace
}  // namespace speclab::sim
