#include "sim/monte_carlo/simulated_generation.h"

#include <gtest/gtest.h>

#include "sim/policies/simple_policies.h"
#include "sim/system/errors.h"
#include "tests/support/sim_values.h"

namespace speclab::sim {
namespace {

using speclab::testing::point;

CostSurface costs() {
  return CostSurface({point(CostKind::target, 1, 0, 100), point(CostKind::target, 9, 0, 140),
                      point(CostKind::target, 1, 512, 120), point(CostKind::target, 9, 512, 170),
                      point(CostKind::draft, 1, 0, 8), point(CostKind::draft, 8, 0, 64),
                      point(CostKind::overhead, 1, 0, 2), point(CostKind::overhead, 9, 0, 4)});
}

// The two agree within 4 standard errors: a right simulator fails with probability 6e-5 a case, and
// an error of 1 % in the mean (4000 generations, standard error about 0.15 %) is missed with
// probability below 1e-2.
TEST(SimulateGeneration, AgreesWithTheClosedFormForConstantLengths) {
  const RoundLaw law = round_law(std::vector<double>{0.4, 0.0, 0.0, 0.0, 0.6},
                                 std::vector<double>{0.7, 0.8, 0.9, 0.9});
  for (const EndRule end_rule : {EndRule::drafts_in_full, EndRule::drafts_what_can_be_emitted})
    for (const int length : {1, 3, 4}) {
      const GenerationPlan plan{.new_tokens = 48, .prompt_tokens = 100, .end_rule = end_rule};
      const auto predicted = predict_generation(truncated(law, length), plan, costs());
      const auto simulated = simulate_generation(ConstantPolicy(length), law, plan, costs(),
                                                 {.generations = 4000, .seed = 9});
      EXPECT_NEAR(simulated.mean.decode_ns(), predicted.decode_ns(),
                  4 * simulated.decode_ns_standard_error)
          << length;
      EXPECT_LT(simulated.decode_ns_standard_error, 0.003 * predicted.decode_ns());
      EXPECT_NEAR(simulated.mean.rounds, predicted.rounds, 0.01 * predicted.rounds);
    }
}

TEST(SimulateGeneration, IsExactWithoutChance) {
  const auto simulated =
      simulate_generation(ConstantPolicy(0), round_law(std::vector<double>{0.5}),
                          {.new_tokens = 20, .prompt_tokens = 0}, costs(), {.generations = 3});
  EXPECT_NEAR(simulated.decode_ns_standard_error, 0.0, 1e-9);
  EXPECT_NEAR(simulated.mean.rounds, 20.0, 1e-12);
}

TEST(SimulateGeneration, RefusesToSimulateNothing) {
  EXPECT_THROW(simulate_generation(ConstantPolicy(0), round_law(std::vector<double>{}), {}, costs(),
                                   {.generations = 0}),
               ContractError);
}

}  // namespace
}  // namespace speclab::sim
