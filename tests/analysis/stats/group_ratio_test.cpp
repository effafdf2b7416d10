// Ratios of sums over generations.

#include "analysis/stats/groups.h"

#include <gtest/gtest.h>

namespace speclab::analysis {
namespace {

Generation generation_of(const std::string& prompt, std::int64_t tokens, std::int64_t rounds) {
  Generation generation;
  generation.prompt_id = prompt;
  generation.output_tokens = tokens;
  generation.rounds = rounds;
  return generation;
}

double tokens(const Generation& g) { return static_cast<double>(g.output_tokens); }
double rounds(const Generation& g) { return static_cast<double>(g.rounds); }

/// Defect: the mean of ratios instead of the ratio of sums, generations of one prompt as if they
/// were independent, or a division by 0.
TEST(GroupRatio, IsOfSumsWithPromptsAsClusters) {
  const std::vector<Generation> all{generation_of("a", 30, 10), generation_of("a", 30, 10),
                                    generation_of("b", 10, 10), generation_of("c", 0, 0)};
  Bootstrap bootstrap(1);
  const auto ratio = ratio_over({&all[0], &all[1], &all[2]}, tokens, rounds, bootstrap).value();
  EXPECT_NEAR(ratio.value, 70.0 / 30.0, 1e-12);
  EXPECT_EQ(ratio.n, 2u);
  EXPECT_TRUE(ratio.interval);
  EXPECT_FALSE(ratio_over({&all[3]}, tokens, rounds, bootstrap));
  EXPECT_FALSE(ratio_over({}, tokens, rounds, bootstrap));
  const auto none = ratio_over({&all[0]}, [](const Generation&) { return 0.0; }, rounds, bootstrap);
  EXPECT_EQ(none.value().value, 0);
  EXPECT_FALSE(none.value().interval);
}

}  // namespace
}  // namespace speclab::analysis
