
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "sim/analytic/one_token.h"
#include "sim/core/rng_stream.h"
#include "sim/monte_carlo/dialled_process.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

std::vector<double> random_law(std::uint32_t which, std::size_t size) {
  std::vector<double> law;
  for (std::uint32_t token = 0; token < size; ++token) {
    const double uniform = RngStream(9).uniform({which, token, Purpose::weights, 0});
    law.push_back(uniform < 0.2 && token > 0 ? 0.0 : 1e-9 - std::log(uniform));
  }
  const double total = std::accumulate(law.begin(), law.end(), 0.0);
  for (double& probability : law) probability /= total;
  return law;
}

TEST(DialledLaw, IsALawWhoseAcceptanceNeverFallsAsTheDialRises) {
  for (std::uint32_t pair = 0; pair < 200; ++pair) {
    const std::vector<double> p = random_law(2 * pair, 2 + pair % 9),
                              q = random_law(2 * pair + 1, p.size());
    double previous = 0.0;
    for (int step = -10; step <= 10; ++step) {
      const std::vector<double> law = dialled_law(p, q, step / 10.0);
      const double acceptance = acceptance_probability(p, law);  // refuses what is no law
      EXPECT_GE(acceptance, previous - 1e-12) << pair << " " << step;
      previous = acceptance;
    }
    EXPECT_NEAR(previous, 1.0, 1e-12);
    EXPECT_NEAR(acceptance_probability(p, dialled_law(p, q, 0.0)), acceptance_probability(p, q),
                1e-15);
    // Towards the target the distance shrinks in proportion.
    EXPECT_NEAR(lk_divergence(p, dialled_law(p, q, 0.25)), 0.75 * lk_divergence(p, q), 1e-12);
  }
}

TEST(DialledLaw, EndsAtTheTokenThatTheTargetLikesLeast) {
  EXPECT_EQ(dialled_law(std::vector{0.5, 0.3, 0.2}, std::vector{0.2, 0.3, 0.5}, -1.0),
            (std::vector{0.0, 0.0, 1.0}));
  EXPECT_EQ(dialled_law(std::vector{0.5, 0.3, 0.2}, std::vector{0.2, 0.3, 0.5}, 1.0),
            (std::vector{0.5, 0.3, 0.2}));
}

TEST(DialForAcceptance, FindsTheDial) {
  for (std::uint32_t pair = 0; pair < 50; ++pair) {
    const std::vector<double> p = random_law(2 * pair, 6), q = random_law(2 * pair + 1, 6);
    const double least = acceptance_probability(p, dialled_law(p, q, -1.0));
    for (const double share : {0.0, 0.3, 0.7, 1.0}) {
      const double wanted = least + share * (1.0 - least);
      EXPECT_NEAR(acceptance_probability(p, dialled_law(p, q, dial_for_acceptance(p, q, wanted))),
                  wanted, 1e-12);
    }
  }
}

TEST(DialForAcceptance, NamesWhatCanBeReached) {
  const std::vector<double> p{0.5, 0.3, 0.2}, q{0.2, 0.3, 0.5};
  try {
    dial_for_acceptance(p, q, 0.1);
    FAIL() << "no error";
  } catch (const ContractError& error) {
    EXPECT_NE(std::string(error.what()).find("a dial reaches 0.200000 to 1"), std::string::npos)
        << error.what();
  }
  for (const double wrong : {1.2, -1.5, std::nan("")}) {
    EXPECT_THROW(dial_for_acceptance(p, q, wrong), ContractError);
    EXPECT_THROW(dialled_law(p, q, wrong), ContractError);
  }
  EXPECT_THROW(dialled_law(std::vector{0.5, 0.4}, std::vector{0.5, 0.5}, 0.0), ContractError);
}

TEST(DialledProcess, AcceptsByTheLawsOfItsPlaces) {
  const std::vector<LawPair> pairs{{.p = {0.6, 0.4}, .q = {0.5, 0.5}},
                                   {.p = {0.2, 0.8}, .q = {0.7, 0.3}}};
  EXPECT_NEAR(DialledProcess(pairs, 0.0).acceptance_rate(), 0.5 * (0.9 + 0.5), 1e-15);
  DialledProcess process(pairs, 0.0);
  process.begin(RngStream(1), 0);
  process.begin_round(0);
  for (int level = 0; level < 50; ++level) {
    const DraftLevel first = process.level(level);
    EXPECT_EQ(first.acceptance, process.level(level).acceptance);
    const bool known =
        (first.confidence == 0.5 && (first.acceptance == 1.0 || first.acceptance == 0.8)) ||
        (first.confidence == 0.7 && std::abs(first.acceptance - 0.2 / 0.7) < 1e-15) ||
        (first.confidence == 0.3 && first.acceptance == 1.0);
    EXPECT_TRUE(known) << first.confidence << " " << first.acceptance;
  }
}

}  // namespace
}  // namespace speclab::sim
