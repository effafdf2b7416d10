// The enumeration of `speclab verify` on a model of five tokens: it finds nothing where there is
// nothing, and what there is.
#include "experiments/drivers/verify/verification.h"

#include <gtest/gtest.h>

#include "experiments/drivers/program/engines_loader.h"
#include "tests/engines/models/tiny_llama.h"
#include "tests/support/faulty_rows.h"

namespace speclab::experiments {
namespace {

using testing::FaultyRows;
using testing::RowFault;

class ExactLawTest : public ::testing::Test {
 protected:
  static engines::DecoderShape config(std::int32_t vocab_size) {
    engines::DecoderShape config = engines::testing::tiny_config();
    config.vocab_size = vocab_size;
    return config;
  }
  std::optional<ExactLaw> enumerate(engines::LanguageModel& model, const std::string& verifier) {
    const engines::DecoderOptions options{.sampling = {.temperature = 1.0},
                                          .drafter = {.kind = "prompt_lookup"},
                                          .verifier = verifier};
    return enumerate_law(*engines_, model, options, {0, {1, 2, 3, 1, 2, 4, 1, 2}}, 2);
  }

  std::unique_ptr<engines::Engines> engines_ = open_engines();
  std::unique_ptr<engines::LanguageModel> model_ = engines::testing::tiny_model(config(5));
};

TEST_F(ExactLawTest, IsTheTargetsUnderLosslessRules) {
  for (const char* verifier : {"rejection", "sample_and_match", "point_mass"}) {
    const auto law = enumerate(*model_, verifier);
    ASSERT_TRUE(law) << verifier;
    EXPECT_EQ(law->outputs, 125) << verifier;
    EXPECT_GE(law->paths, law->outputs) << verifier;
    EXPECT_LE(law->largest_error, kExactTolerance) << verifier;
  }
}

// Catches low-bit products whose sums depend on the number of rows.
TEST_F(ExactLawTest, IsTheTargetsInEachLowBitArithmetic) {
  using engines::cpu::ProductKind;
  for (const ProductKind kind : {ProductKind::exact, ProductKind::int8, ProductKind::bfloat16}) {
    const engines::cpu::NumberForms numbers(engines::cpu::WeightChoice::q8, kind);
    const auto model = engines::testing::tiny_model(config(5), {.type = numbers});
    const auto law = enumerate(*model, "rejection");
    ASSERT_TRUE(law) << numbers.name();
    EXPECT_LE(law->largest_error, kExactTolerance) << numbers.name();
  }
}

TEST_F(ExactLawTest, IsAnotherUnderALossyRule) {
  EXPECT_GT(enumerate(*model_, "typical").value().largest_error, 1e-3);
}

TEST_F(ExactLawTest, ShowsForwardsOfSeveralRowsThatAreWrong) {
  FaultyRows wrong(*model_, *model_, RowFault::stale_cache);
  EXPECT_GT(enumerate(wrong, "rejection").value().largest_error, 100 * kExactTolerance);
}

TEST_F(ExactLawTest, IsNotLookedAtWhereItIsTooLarge) {
  EXPECT_FALSE(enumerate(*engines::testing::tiny_model(config(9)), "rejection"));
}

}  // namespace
}  // namespace speclab::experiments
