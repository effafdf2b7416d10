// The shipping decoder in float, every decision forked: what it writes has the law of the target
// alone. The tolerance is that of float laws over three to six tokens; the rules themselves are
// compared in double (exactness_test).

#include "tests/engines/exactness/decoder_law.h"

#include <gtest/gtest.h>

namespace speclab::engines {
namespace {

using testing::DecoderCase;
using testing::LawComparison;

class DecoderLaw : public ::testing::TestWithParam<DecoderCase> {};

INSTANTIATE_TEST_SUITE_P(, DecoderLaw, ::testing::ValuesIn(testing::decoder_cases()),
                         [](const auto& named) { return named.param.name; });

TEST_P(DecoderLaw, IsTheTargets) {
  const LawComparison result = compare_laws(GetParam());
  EXPECT_NEAR(result.mass, 1.0, 1e-9);
  EXPECT_LE(result.max_error, 1e-6);
  EXPECT_EQ(result.num_repeated_keys, 0U) << "a uniform was used twice";
}

TEST(DecoderLawCases, AcceptSomeDraftsAndRejectSome) {
  int with_both = 0;
  for (const DecoderCase& example : testing::decoder_cases()) {
    const double fraction = compare_laws(example).accepted_fraction;
    with_both += fraction > 0.02 && fraction < 0.98;
  }
  EXPECT_GE(with_both, 60) << "of " << testing::decoder_cases().size();
}

/// The oracle sees what it should: a lossy rule has a distance.
TEST(DecoderLawCases, FindALossyRule) {
  for (const char* verifier : {"lenient", "typical"}) {
    DecoderCase example = testing::decoder_cases().front();
    example.options.verifier = verifier;
    example.options.lossy.lenience = 0.5;
    EXPECT_GT(compare_laws(example).total_variation, 1e-3) << verifier;
  }
}

}  // namespace
}  // namespace speclab::engines
