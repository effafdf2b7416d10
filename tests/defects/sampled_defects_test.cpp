// Defects of decoding that the goodness of fit over real laws finds too.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "tests/defects/decoder_distance.h"
#include "tests/defects/seeded_run.h"
#include "tests/support/test_size.h"

namespace speclab::defects {
namespace {

using testing::by_size;

/// The goodness of fit of one rule over real laws, with a defect. Less samples, which builds with
/// sanitizers take elsewhere, would miss some.
std::string goodness_of_fit(const std::string& defect, const std::string& rule,
                            int samples = 100'000) {
  static const std::string pairs = [] {
    std::string path = ::testing::TempDir() + "/speclab_real_pairs";
    EXPECT_NE(output_of(kNoDefect, "log_pairs '" + path + "' && echo logged").find("logged"),
              std::string::npos);
    return path;
  }();
  const std::string program =
      fmt::format("seeded_goodness_of_fit --gtest_color=no --gtest_filter='*/{}'", rule);
  return output_of(defect, program,
                   fmt::format("SPECLAB_PAIRS='{}' SPECLAB_SAMPLES={}", pairs, samples));
}

std::vector<Defect> sampled_defects() {
  std::vector<Defect> defects;
  std::ranges::copy_if(catalogue(), std::back_inserter(defects),
                       [](const Defect& defect) { return !defect.sampled.empty(); });
  return defects;
}

class SampledDefect : public ::testing::TestWithParam<Defect> {};
INSTANTIATE_TEST_SUITE_P(, SampledDefect, ::testing::ValuesIn(sampled_defects()),
                         [](const auto& named) { return named.param.name; });

TEST_P(SampledDefect, IsFoundByTheGoodnessOfFit) {
  const std::string text = goodness_of_fit(GetParam().name, GetParam().sampled);
  EXPECT_NE(text.find("[  FAILED  ] 1 test"), std::string::npos)
      << GetParam().sampled << " lets it live:\n"
      << text;
}

/// The residual that all rules share has no mass only behind a rejection that rounding made, and
/// the stored laws have none.
TEST(SampledDefects, AreAllOfTheRulesThatMoveTheLawByAHundredth) {
  for (const Defect& defect : catalogue())
    EXPECT_TRUE(!defect.file.starts_with("sim/rules/") || defect.file == "sim/rules/residual.h" ||
                !defect.sampled.empty() || distance_of(defect.name).total_variation < 0.01)
        << defect.name;
}

/// With few samples, which no false alarm depends on. The shipping sources have a test of their
/// own.
TEST(SampledDefects, AreNotFoundWhereThereIsNone) {
  const std::string text = goodness_of_fit(kNoDefect, "*", by_size(2'000, 4'000, 20'000));
  EXPECT_NE(text.find("[  PASSED  ] 8 tests"), std::string::npos) << text;
}

}  // namespace
}  // namespace speclab::defects
