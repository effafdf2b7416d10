#include "sim/analytic/speedup.h"

#include <gtest/gtest.h>

#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

TEST(OperationsFactor, IsOneWithoutADraftOrWithAFreeOneThatIsAlwaysRight) {
  EXPECT_EQ(operations_factor(0.7, 0, 0.5), 1.0);
  EXPECT_EQ(operations_factor(1.0, 6, 0.0), 1.0);
  EXPECT_EQ(operations_factor(0.0, 6, 0.0), 7.0) << "every drafted row is wasted";
}

TEST(OperationsFactor, IsNeverBelowOneAndRisesWithLengthAndDraft) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform(), draft = values.uniform();
    const int length = values.integer(0, 30);
    const double factor = operations_factor(rate, length, draft);
    EXPECT_GE(factor, 1.0 - 1e-14);
    EXPECT_GE(operations_factor(rate, length + 1, draft), factor - 1e-14);
    EXPECT_GE(operations_factor(rate, length, draft + 0.1), factor);
  });
}

TEST(Reads, FallAsRoundsEmitMore) {
  EXPECT_EQ(target_reads_per_token(0.9, 0), 1.0);
  EXPECT_EQ(target_reads_per_token(0.0, 8), 1.0);
  EXPECT_EQ(target_reads_per_token(1.0, 7), 0.125);
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform(), target = values.uniform(1.0, 9.0),
                 draft = values.uniform();
    const int length = values.integer(0, 20);
    EXPECT_NEAR(target_reads_per_token(rate, length) * tokens_per_round(rate, length), 1.0, 1e-14);
    const double bytes =
        bytes_per_token(rate, length, {.target_bytes = target, .draft_bytes = draft});
    EXPECT_NEAR(bytes,
                target * target_reads_per_token(rate, length) +
                    length * draft / tokens_per_round(rate, length),
                1e-12);
    EXPECT_NEAR(bytes_per_token(rate, length, {.target_bytes = target}),
                target * target_reads_per_token(rate, length), 1e-13);
  });
}

TEST(Operations, RefuseArgumentsOutOfRange) {
  expect_refused([](double rate) { operations_factor(rate, 3, 0.1); }, kNoProbability);
  expect_refused([](double draft) { operations_factor(0.5, 3, draft); }, kNegative);
  EXPECT_THROW(operations_factor(0.5, -1, 0.1), ContractError);
  expect_refused([](double rate) { target_reads_per_token(rate, 3); }, kNoProbability);
  EXPECT_THROW(target_reads_per_token(0.5, -1), ContractError);
  expect_refused([](double rate) { bytes_per_token(rate, 3, {.target_bytes = 1.0}); },
                 kNoProbability);
  EXPECT_THROW(bytes_per_token(0.5, -1, {.target_bytes = 1.0}), ContractError);
  expect_refused([](double bytes) { bytes_per_token(0.5, 3, {.target_bytes = bytes}); },
                 kNotPositive);
  expect_refused(
      [](double bytes) { bytes_per_token(0.5, 3, {.target_bytes = 1.0, .draft_bytes = bytes}); },
      kNegative);
}

}  // namespace
}  // namespace speclab::sim
