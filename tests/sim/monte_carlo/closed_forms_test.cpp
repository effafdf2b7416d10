// Simulated rounds against closed forms. A mean is held to its closed form within 6 standard errors
// of the simulation, taken from batches of rounds (or from generations) that are as good as
// independent: a right simulator fails one comparison with probability 2e-9, and the at most 300 of
// this file with less than 1e-6. A usual test has fewer settings, and as many rounds of each. Where
// not said otherwise, at least two million rounds give tokens per round a standard error of at most
// 0.065 %, so that an error of 0.5 % is 7.7 of them and passes with odds of 5 %.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/analytic/acceptance_mixtures.h"
#include "sim/analytic/heuristic_schedule.h"
#include "sim/analytic/speedup.h"
#include "sim/analytic/static_tree.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/monte_carlo/acceptance_process.h"
#include "sim/monte_carlo/dialled_process.h"
#include "sim/monte_carlo/simulated_generation.h"
#include "sim/policies/clairvoyant_policy.h"
#include "sim/policies/policy_registry.h"
#include "sim/policies/simple_policies.h"
#include "tests/sim/monte_carlo/support/expected_counts.h"
#include "tests/support/surface_speedup.h"
#include "tests/support/test_size.h"

namespace speclab::sim {
namespace {

using speclab::testing::by_size;
using Lengths = std::vector<int>;

constexpr double kStandardErrors = 6.0;
constexpr double kLargestRelativeError = 0.00065;  ///< standard error of tokens per round

double uniform(std::uint32_t setting, std::uint32_t draw) {
  return RngStream(99).uniform({setting, 0, Purpose::weights, draw});
}

/// Mean of a quantity over rounds, and its standard error from batches of 250 rounds.
class BatchMean {
 public:
  void add(double value) {
    batch_ += value;
    if (++in_batch_ < kBatch) return;
    const double mean = batch_ / kBatch, delta = mean - mean_;
    mean_ += delta / ++batches_;
    squares_ += delta * (mean - mean_);
    batch_ = in_batch_ = 0;
  }
  double mean() const { return mean_; }
  double standard_error() const { return std::sqrt(squares_ / (batches_ - 1) / batches_); }

 private:
  static constexpr int kBatch = 250;
  double batch_ = 0, in_batch_ = 0, mean_ = 0, squares_ = 0, batches_ = 0;
};

constexpr double kRounds = 2.4e6;

void expect_mean(const BatchMean& mean, double expected, const std::string& what) {
  EXPECT_NEAR(mean.mean(), expected, kStandardErrors * mean.standard_error() + 1e-12) << what;
  EXPECT_LE(mean.standard_error(), kLargestRelativeError * expected) << what;
}

/// Tokens of the rounds of one long generation, as verified.
BatchMean tokens_of_rounds(const SpeculationLengthPolicy& policy, AcceptanceProcess& process,
                           SimulationOptions options, double new_tokens) {
  BatchMean tokens;
  options.generations = 1;
  options.on_rounds = [&tokens](std::uint32_t, std::span<const RoundRecord> rounds) {
    for (const RoundRecord& round : rounds) tokens.add(round.accepted + 1);
  };
  simulate_generation(policy, process, {.new_tokens = static_cast<int>(new_tokens)}, nullptr,
                      options);
  return tokens;
}

TEST(Iid, EmitsTokensPerRound) {
  for (std::uint32_t setting = 0; setting < by_size(10u, 30u, 100u); ++setting) {
    const double acceptance_rate = 0.02 + 0.97 * uniform(setting, 0);
    const int length = 1 + static_cast<int>(12 * uniform(setting, 1));
    PositionProcess process = iid_process(acceptance_rate);
    const double expected = tokens_per_round(acceptance_rate, length);
    const BatchMean tokens = tokens_of_rounds(*make_policy("constant:" + std::to_string(length)),
                                              process, {.seed = setting}, kRounds * expected);
    expect_mean(tokens, expected, std::to_string(acceptance_rate) + ", " + std::to_string(length));
  }
}

TEST(Iid, HasTheLawOfTokensPerRound) {
  // Each cell of the law by itself, within 6 of its binomial standard errors.
  for (const double acceptance_rate : {0.0, 0.1, 0.5, 0.8, 0.95, 1.0})
    for (const int length : {1, 5, 8, 11}) {
      PositionProcess process = iid_process(acceptance_rate);
      std::vector<double> counts(static_cast<std::size_t>(length) + 1, 0.0);
      double rounds = 0;
      SimulationOptions options{.generations = 1, .seed = 3};
      options.on_rounds = [&](std::uint32_t, std::span<const RoundRecord> piece) {
        for (const RoundRecord& round : piece)
          counts[static_cast<std::size_t>(round.accepted)] += 1;
        rounds += static_cast<double>(piece.size());
      };
      simulate_generation(*make_policy("constant:" + std::to_string(length)), process,
                          {.new_tokens = 1'000'000}, nullptr, options);
      const std::vector<double> pmf = tokens_per_round_pmf(acceptance_rate, length);
      for (std::size_t i = 0; i < pmf.size(); ++i)
        EXPECT_NEAR(counts[i] / rounds, pmf[i],
                    kStandardErrors * std::sqrt(pmf[i] * (1 - pmf[i]) / rounds))
            << acceptance_rate << ", " << length << ", " << i;
    }
}

TEST(Iid, TakesTheExpectedRounds) {
  for (std::uint32_t setting = 0; setting < 20; ++setting) {
    const double acceptance_rate = 0.1 + 0.85 * uniform(setting, 2);
    const int length = 1 + static_cast<int>(8 * uniform(setting, 3)),
              tokens = 1 + static_cast<int>(200 * uniform(setting, 4));
    PositionProcess process = iid_process(acceptance_rate);
    double sum = 0, squares = 0;
    const int generations = 20'000;
    SimulationOptions options{.generations = generations, .seed = setting};
    options.on_rounds = [&](std::uint32_t, std::span<const RoundRecord> rounds) {
      const double n =
          rounds.back().position + rounds.back().emitted == tokens ? rounds.back().round + 1 : 0;
      sum += n, squares += n * n;
    };
    simulate_generation(*make_policy("constant:" + std::to_string(length)), process,
                        {.new_tokens = tokens}, nullptr, options);
    const double mean = sum / generations,
                 error = std::sqrt((squares / generations - mean * mean) / generations);
    const double expected = expected_rounds(tokens_per_round_pmf(acceptance_rate, length), tokens);
    EXPECT_NEAR(mean, expected, kStandardErrors * error + 1e-9)
        << acceptance_rate << ", " << length << ", " << tokens;
    EXPECT_LE(error, 0.005 * expected);
  }
}

TEST(PerPosition, EmitsTokensPerRoundFromConditional) {
  for (std::uint32_t setting = 0; setting < by_size(11u, 11u, 30u); ++setting) {
    std::vector<double> conditional;
    for (std::uint32_t level = 0; level < 1 + setting % 11; ++level)
      conditional.push_back(0.3 + 0.7 * uniform(setting, 10 + level));
    const double expected = tokens_per_round_from_conditional(conditional);
    PositionProcess process(conditional);
    const BatchMean tokens =
        tokens_of_rounds(*make_policy("constant:" + std::to_string(conditional.size())), process,
                         {.seed = setting}, kRounds * expected);
    expect_mean(tokens, expected, std::to_string(setting));
  }
}

TEST(BetaMixed, EmitsTokensPerRoundOfTheMixture) {
  // Generations of one token are one round each: all prompts weigh the same.
  for (const auto& [a, b] : std::vector<std::pair<double, double>>{{8, 2}, {0.5, 0.4}, {30, 3}})
    for (const int length : by_size(Lengths{5}, Lengths{5}, Lengths{1, 5, 9})) {
      BetaProcess process({.a = a, .b = b});
      BatchMean tokens;
      SimulationOptions options{.generations = 1'500'000, .seed = 4};
      options.on_rounds = [&tokens](std::uint32_t, std::span<const RoundRecord> rounds) {
        tokens.add(rounds[0].accepted + 1);
      };
      simulate_generation(*make_policy("constant:" + std::to_string(length)), process,
                          {.new_tokens = 1}, nullptr, options);
      EXPECT_NEAR(tokens.mean(), tokens_per_round_beta_mixture(a, b, length),
                  kStandardErrors * tokens.standard_error())
          << a << ", " << b << ", " << length;
      EXPECT_LE(tokens.standard_error(), 0.0008 * tokens.mean());
    }
}

TEST(TwoState, EmitsTokensPerRoundOfTheLongRun) {
  for (std::uint32_t setting = 0; setting < by_size(3u, 5u, 15u); ++setting) {
    const TwoStateAcceptance places{
        .acceptance_rate = {0.6 + 0.4 * uniform(setting, 5), 0.7 * uniform(setting, 6)},
        .easy_to_hard = 0.02 + 0.6 * uniform(setting, 7),
        .hard_to_easy = 0.05 + 0.9 * uniform(setting, 8)};
    const int length = 1 + static_cast<int>(9 * uniform(setting, 9));
    TwoStateProcess process(places);
    const BatchMean tokens = tokens_of_rounds(*make_policy("constant:" + std::to_string(length)),
                                              process, {.seed = setting}, 8e6);
    EXPECT_NEAR(tokens.mean(), tokens_per_round_two_state(places, length),
                kStandardErrors * tokens.standard_error())
        << setting;
    EXPECT_LE(tokens.standard_error(), 0.0012 * tokens.mean())
        << setting;  // rounds of one stretch of text are alike
  }
}

TEST(TwoState, StaysInItsStatesWhateverTheChanceOfLeaving) {
  // With acceptance 1 and 0 the verdicts are the states; a state that is left at once alternates.
  TwoStateProcess process(
      {.acceptance_rate = {1.0, 0.0}, .easy_to_hard = 1.0, .hard_to_easy = 1.0});
  process.begin(RngStream(5), 0);
  for (int level = 0; level + 1 < 40; ++level)
    EXPECT_EQ(process.level(level).acceptance + process.level(level + 1).acceptance, 1.0);
  const double before = process.level(3).acceptance;
  process.advance(3);
  EXPECT_EQ(process.level(0).acceptance, before);
}

TEST(Dialled, AcceptsByItsRate) {
  const std::vector<LawPair> pairs{{.p = {0.6, 0.3, 0.1}, .q = {0.4, 0.3, 0.3}},
                                   {.p = {0.1, 0.9, 0.0}, .q = {0.3, 0.3, 0.4}}};
  for (const double dial : {-1.0, -0.4, 0.0, 0.5, 1.0}) {
    DialledProcess process(pairs, dial);
    const double expected = tokens_per_round(process.acceptance_rate(), 4);
    const BatchMean tokens =
        tokens_of_rounds(*make_policy("constant:4"), process, {.seed = 6}, kRounds * expected);
    expect_mean(tokens, expected, std::to_string(dial));
  }
}

TEST(Trees, EmitTokensPerRoundOfTheirShape) {
  const std::vector<double> ranks{0.57, 0.27, 0.08, 0.03, 0.02};
  for (const char* text : {"5", "3x3x2", "2x2x2x2", "5x1x1", "parents:0,0,0,1,1,2,4", "4"}) {
    const TreeShape shape = TreeShape::parse(text, 0);
    PositionProcess process = iid_process(ranks[0]);
    const double expected = tree_tokens_per_round(shape, ranks);
    const BatchMean tokens =
        tokens_of_rounds(*make_policy("constant:16"), process,
                         {.seed = 7, .tree = DraftTree(shape, ranks)}, kRounds * expected);
    expect_mean(tokens, expected, text);
  }
}

TEST(Heuristic, SettlesInItsStationaryLaw) {
  for (const double acceptance_rate : {0.3, 0.5, 0.7, 0.8, 0.9}) {
    PositionProcess process = iid_process(acceptance_rate);
    const double expected = heuristic_long_run(acceptance_rate).tokens_per_round;
    const BatchMean tokens = tokens_of_rounds(*make_policy("heuristic"), process, {.seed = 8},
                                              4 * kRounds * expected);  // neighbours are alike
    expect_mean(tokens, expected, std::to_string(acceptance_rate));
  }
}

TEST(Clairvoyant, ReachesTheOracle) {
  // Each round costs a target forward and one draft forward a token of its run: 1 + c k for k + 1
  // tokens.
  for (const double acceptance_rate : {0.3, 0.6, 0.9})
    for (const double cost_ratio : {0.02, 0.1}) {
      PositionProcess process = iid_process(acceptance_rate);
      const auto result =
          simulate_generation(ClairvoyantPolicy(4095), process, {.new_tokens = 8'000'000}, nullptr,
                              {.generations = 1, .seed = 9});
      const double rounds = static_cast<double>(result.totals.rounds),
                   drafted = static_cast<double>(result.totals.drafted);
      const double speedup = (rounds + drafted) / (rounds + cost_ratio * drafted);
      // The mean run has relative standard error 1 / sqrt(α rounds), and moves the speed-up by less
      // than itself.
      const double error = 1.0 / std::sqrt(acceptance_rate * rounds);
      EXPECT_NEAR(speedup, oracle_speedup(acceptance_rate, cost_ratio),
                  kStandardErrors * error * speedup)
          << acceptance_rate << ", " << cost_ratio;
      EXPECT_LE(error, 0.0015);
    }
}

TEST(ExpectedCounts, AreWhatGenerationsShow) {
  // The truth of the coverage test, against simulation: ratios of totals over 20,000 generations,
  // error from their spread.
  const TwoStateAcceptance places{
      .acceptance_rate = {0.95, 0.5}, .easy_to_hard = 0.1, .hard_to_easy = 0.2};
  TwoStateProcess text(places);
  BetaProcess beta({.a = 8, .b = 2});
  const std::vector<std::pair<AcceptanceProcess*, testing::ExpectedCounts>> cases{
      {&text, testing::expected_counts(places, 5, 128)},
      {&beta, testing::expected_beta_counts(8, 2, 5, 128)}};
  for (const auto& [process, expected] : cases) {
    std::vector<std::pair<double, double>> generations;  // accepted, tested
    SimulationOptions options{.generations = 20'000, .seed = 10};
    options.on_rounds = [&](std::uint32_t sequence, std::span<const RoundRecord> rounds) {
      generations.resize(sequence + 1);
      for (const RoundRecord& round : rounds)
        generations[sequence].first += round.accepted, generations[sequence].second += round.tested;
    };
    simulate_generation(*make_policy("constant:5"), *process, {.new_tokens = 128}, nullptr,
                        options);
    double accepted = 0, tested = 0, squares = 0;
    for (const auto& [a, t] : generations) accepted += a, tested += t;
    for (const auto& [a, t] : generations) squares += std::pow(a - t * accepted / tested, 2);
    EXPECT_NEAR(accepted / tested, expected.acceptance_rate(),
                kStandardErrors * std::sqrt(squares) / tested)
        << process->name();
    EXPECT_LE(std::sqrt(squares) / tested, 0.001);
  }
}

}  // namespace
}  // namespace speclab::sim
