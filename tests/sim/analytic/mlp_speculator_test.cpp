#include "sim/analytic/mlp_speculator.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/core/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

/// The nine released shapes; four have a size in their name, rounded. @source IBM 2024, model cards
TEST(MlpParameters, AreThoseOfReleasedSpeculators) {
  EXPECT_EQ(mlp_parameters({4096, 32000, 3, 4096, false}), 836788224) << "Llama-2-7B, 840m";
  EXPECT_EQ(mlp_parameters({4096, 32008, 5, 4096, false}), 1394974720)
      << "IBM-7B-instruct-lab, 1_4b";
  EXPECT_EQ(mlp_parameters({5120, 32000, 3, 4096, false}), 840982528) << "Llama-2-13B-chat";
  EXPECT_EQ(mlp_parameters({5120, 32016, 7, 4096, false}), 1957617664) << "CodeLlama-13B, 2b";
  EXPECT_EQ(mlp_parameters({8192, 32000, 5, 8192, true}), 658522112) << "CodeLlama-34B";
  EXPECT_EQ(mlp_parameters({4096, 128256, 4, 3072, false}), 3192938496) << "Llama-3-8B, 3_2b";
  EXPECT_EQ(mlp_parameters({6144, 49152, 4, 4096, false}), 1686142976) << "Granite-20B-code";
  EXPECT_EQ(mlp_parameters({6144, 49152, 5, 6144, true}), 679489536) << "Granite-34B-code";
  EXPECT_EQ(mlp_parameters({8192, 128256, 4, 3584, true}), 961551360) << "Llama-3-70B";
}

TEST(MlpParameters, AddUpOverTheMatrices) {
  for_random_values([](RandomValues& values) {
    const MlpSpeculatorShape shape{values.integer(1, 50), values.integer(1, 50),
                                   values.integer(1, 6), values.integer(1, 50),
                                   values.integer(0, 1) == 1};
    long long expected = 0;
    for (int stage = 0; stage < shape.heads; ++stage) {
      const long long embedding = static_cast<long long>(shape.vocab) * shape.inner_size,
                      head = embedding, norm = 2LL * shape.inner_size;
      if (stage == 0 || !shape.tied) expected += embedding + head + norm;
      if (stage == 0) expected += static_cast<long long>(shape.base_hidden_size) * shape.inner_size;
      if (stage == 1 || (stage > 1 && !shape.tied))
        expected += static_cast<long long>(shape.inner_size) * shape.inner_size;
    }
    EXPECT_EQ(mlp_parameters(shape), expected);
  });
}

TEST(MlpWeights, KeepTheVarianceOfAUnitStateAndHalfOfTheBaseStateAtTheLastHead) {
  for (int heads = 1; heads <= 12; ++heads) {
    const double state = mlp_state_weight(heads), embedding = mlp_embedding_weight(heads, 512);
    EXPECT_NEAR(std::pow(state * state, heads), 0.5, 1e-13);
    EXPECT_NEAR(state * state + embedding * embedding * 2.0 / 512, 1.0, 1e-13);
    EXPECT_NEAR(mlp_mix_ratio(heads, 512) * state, embedding, 1e-13);
  }
  EXPECT_NEAR(mlp_state_weight(1000000), 1.0, 1e-6);
}

TEST(CandidateSuffixes, MultiplyAndAreOneOfNoHead) {
  EXPECT_EQ(candidate_suffixes({}), 1);
  EXPECT_EQ(candidate_suffixes(std::vector<int>{7}), 7);
  EXPECT_THROW(candidate_suffixes(std::vector<int>{65536, 65536}), ContractError);
  expect_refused([](int top_k) { candidate_suffixes(std::vector<int>{5, top_k}); }, {0, -1});
}

TEST(LearningRate, WarmsUpTwiceAndStaysBelowItsStage) {
  for_random_values([](RandomValues& values) {
    const TrainingStages stages{values.integer(1, 50000), 0};
    const TrainingStages both{stages.stage2_start, stages.stage2_start + values.integer(1, 50000)};
    EXPECT_EQ(learning_rate_multiplier(0, both), 0.0);
    const double first = learning_rate_multiplier(values.integer(0, both.stage2_start), both);
    const double second =
        learning_rate_multiplier(values.integer(both.stage2_start + 1, both.total), both);
    EXPECT_GE(first, 0.0);
    EXPECT_LE(first, 1.0);
    EXPECT_GT(second, 0.0);
    EXPECT_LE(second, 0.1);
    EXPECT_NEAR(learning_rate_multiplier(both.total, both), 0.01, 1e-12) << "a tenth of a tenth";
  });
  EXPECT_LT(learning_rate_multiplier(15001, {}), 0.01 * learning_rate_multiplier(15000, {}))
      << "it drops at the switch";
}

TEST(MlpSpeculator, RefusesArgumentsOutOfRange) {
  const std::vector<MlpSpeculatorShape> broken{{0, 1, 1, 1, false},
                                               {1, 0, 1, 1, false},
                                               {1, 1, 0, 1, false},
                                               {1, 1, 1, 0, false},
                                               {-1, 1, 1, 1, true}};
  for (const MlpSpeculatorShape& shape : broken) EXPECT_THROW(mlp_parameters(shape), ContractError);
  expect_refused([](int heads) { mlp_state_weight(heads); }, {0, -1});
  expect_refused([](int heads) { mlp_embedding_weight(heads, 8); }, {0, -1});
  expect_refused([](int size) { mlp_embedding_weight(3, size); }, {0, -1});
  expect_refused([](int size) { mlp_mix_ratio(3, size); }, {0, -1});
  expect_refused([](int step) { learning_rate_multiplier(step, {}); }, {-1, 21001});
  EXPECT_THROW(learning_rate_multiplier(0, {0, 5}), ContractError);
  EXPECT_THROW(learning_rate_multiplier(0, {5, 5}), ContractError);
}

}  // namespace
}  // namespace speclab::sim
