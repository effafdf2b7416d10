// The fast policy decides as the slow one does, round by round, whatever it is told.

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "sim/policies/auto_policy.h"
#include "tests/sim/monte_carlo/support/reference_auto_policy.h"
#include "tests/support/random_values.h"
#include "tests/support/sim_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

/// Costs that rise with rows and context; drafts are timed at contexts of their own in one case of
/// two.
std::shared_ptr<const CostSurface> random_costs(RandomValues& values) {
  using enum CostKind;
  const double verify = values.uniform(0.0, 1.5), draft_cost = values.uniform(0.0, 0.3),
               growth = values.uniform(0.0, 1.0);
  const int middle = values.integer(20, 200), shift = values.integer(0, 1) * values.integer(1, 19);
  std::vector<CostPoint> points;
  for (const int context : {0, middle, 400}) {
    const double longer = 1.0 + growth * context / 400;
    for (const int rows : {1, 4, 16})
      points.push_back(
          point(target, rows, context,
                longer * (98.0 + verify * (rows - 1) * 10 * values.uniform(0.8, 1.2))));
    for (const int levels : {1, 12})
      points.push_back(point(draft, levels, context + (context == middle ? shift : 0),
                             longer * 100 * draft_cost * levels));
  }
  points.push_back(point(overhead, 1, 0, values.uniform(0.0, 5.0)));
  points.push_back(point(overhead, 16, 0, values.uniform(5.0, 9.0)));
  return std::make_shared<const CostSurface>(points);
}

std::vector<double> random_rates(RandomValues& values, double lowest) {
  std::vector<double> rates(static_cast<std::size_t>(values.integer(1, 5)));
  for (double& rate : rates) rate = values.integer(0, 4) == 0 ? 1.0 : values.uniform(lowest, 1.0);
  return rates;
}

AutoPolicyOptions random_options(RandomValues& values) {
  AutoPolicyOptions options{.costs = random_costs(values)};
  options.prior = {.conditional_acceptance = random_rates(values, 0.0),
                   .reach = random_rates(values, 0.05),
                   .strength = values.uniform(0.5, 20.0)};
  options.max_length = values.integer(0, 12);
  if (values.integer(0, 2) == 0)  // trees
    for (int depth = 0, rows = 1; depth <= options.max_length;
         ++depth, rows += values.integer(1, 2))
      options.rows_of_depth.push_back(rows);
  options.initial_context = values.integer(0, 150);
  options.forgetting = values.integer(0, 2) == 0 ? 1.0 : values.uniform(0.7, 1.0);
  options.required_gain = values.uniform(1.0, 1.2);
  options.loss_fraction = values.uniform(0.0, 0.1);
  options.loss_allowance = values.uniform(0.0, 20.0);
  options.probe_interval = values.integer(1, 8);
  options.max_probe_interval = options.probe_interval * values.integer(1, 8);
  return options;
}

/// What comes of asking for `levels`: now and then nothing or less is proposed.
RoundRecord random_round(RandomValues& values, int levels, double acceptance_rate,
                         double hit_rate) {
  int depth = values.uniform() < hit_rate ? levels : values.integer(0, levels), accepted = 0;
  while (accepted < depth && values.uniform() < acceptance_rate) ++accepted;
  return round_of(depth, accepted);
}

TEST(AutoPolicy, DecidesAsItsDefinitionDoes) {
  int decisions = 0, drafting = 0;
  for_random_values(
      [&](RandomValues& values) {
        const AutoPolicyOptions options = random_options(values);
        const AutoPolicy family(options);
        for (int sequence = 0; sequence < 2; ++sequence) {
          const auto policy = family.fresh();
          ReferenceAutoPolicy reference(options);
          const double acceptance_rate = values.uniform(), hit_rate = values.uniform(0.3, 1.2);
          for (int round = 0, position = options.initial_context; round < 80; ++round) {
            const int length = policy->next_length();
            ASSERT_EQ(length, reference.next_length())
                << "sequence " << sequence << ", round " << round;
            RoundRecord record = random_round(values, length, acceptance_rate, hit_rate);
            record.position = position;
            position += record.emitted;
            policy->observe(record);
            reference.observe(record);
            ++decisions;
            drafting += length > 0;
          }
        }
      },
      1000);
  EXPECT_EQ(decisions, 160'000);
  EXPECT_GT(drafting, 40'000);
  EXPECT_LT(drafting, 140'000);
}

}  // namespace
}  // namespace speclab::sim
