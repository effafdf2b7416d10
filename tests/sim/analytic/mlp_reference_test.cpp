#include "tests/support/mlp_reference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::testing {
namespace {

Matrix random_matrix(RandomValues& values, int rows, int columns) {
  Matrix matrix{.rows = rows, .columns = columns, .values = {}};
  for (int i = 0; i < rows * columns; ++i) matrix.values.push_back(values.uniform(-1.0, 1.0));
  return matrix;
}

constexpr int kVocab = 6, kBase = 5, kInner = 4;

MlpStage random_stage(RandomValues& values, int state_width) {
  return {random_matrix(values, kVocab, kInner), random_matrix(values, kInner, state_width),
          random_matrix(values, kVocab, kInner), random_matrix(values, 1, kInner).values,
          random_matrix(values, 1, kInner).values};
}

std::vector<MlpStage> random_stages(RandomValues& values, int heads) {
  std::vector<MlpStage> stages;
  for (int i = 0; i < heads; ++i) stages.push_back(random_stage(values, i == 0 ? kBase : kInner));
  return stages;
}

TEST(MlpForward, OfAnEarlierStageDoesNotDependOnLaterTokensOrStages) {
  for_random_values([](RandomValues& values) {
    std::vector<MlpStage> stages = random_stages(values, 3);
    const std::vector<double> state = random_matrix(values, 1, kBase).values;
    const std::vector<int> tokens{values.integer(0, kVocab - 1), values.integer(0, kVocab - 1)};
    const auto before = mlp_logits(stages, state, tokens);
    stages[2] = random_stage(values, kInner);
    EXPECT_EQ(mlp_logits(stages, state, tokens), before);
    EXPECT_EQ(before.size(), static_cast<std::size_t>(kVocab));
  });
}

/// norm forgets the size of what it is given: a scaled projection and embedding give the same
/// logits, up to the epsilon.
TEST(MlpForward, ForgetsACommonScale) {
  for_random_values([](RandomValues& values) {
    std::vector<MlpStage> stages = random_stages(values, 1);
    const std::vector<double> state = random_matrix(values, 1, kBase).values;
    const std::vector<int> tokens{1};
    const auto before = mlp_logits(stages, state, tokens, {.epsilon = 1e-30});
    for (Matrix* matrix : {&stages[0].projection, &stages[0].embedding})
      for (double& value : matrix->values) value *= 3.0;
    const auto after = mlp_logits(stages, state, tokens, {.epsilon = 1e-30});
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 1e-12);
  });
}

TEST(MlpForward, SubtractsNoMean) {
  // One stage, no embedding: norm(h) of a constant state is 1 for every entry, where a layer norm
  // would give 0.
  const MlpStage stage{{1, 2, {0, 0}}, {2, 1, {5, 5}}, {1, 2, {1, 1}}, {1, 1}, {0, 0}};
  const double gelu_of_one = 0.5 * (1.0 + std::erf(1.0 / std::sqrt(2.0)));
  EXPECT_NEAR(mlp_logits(std::vector{stage}, std::vector<double>{1.0}, std::vector<int>{0})[0],
              2.0 * gelu_of_one, 1e-6);
}

TEST(MlpForward, RefusesShapesThatDoNotFitTogether) {
  RandomValues values(1, 0);
  const std::vector<MlpStage> good = random_stages(values, 2);
  const std::vector<double> state(kBase, 0.5);
  const std::vector<int> tokens{1, 2};
  const auto broken = [&](auto change) {
    std::vector<MlpStage> stages = good;
    change(stages);
    mlp_logits(stages, state, tokens);
  };
  EXPECT_NO_THROW(broken([](auto&) {}));
  EXPECT_THROW(broken([](auto& stages) { stages[0].projection.columns = kBase + 1; }),
               ContractError);
  EXPECT_THROW(broken([](auto& stages) { stages[1].projection.rows = kInner - 1; }), ContractError);
  EXPECT_THROW(broken([](auto& stages) { stages[0].embedding.values.pop_back(); }), ContractError);
  EXPECT_THROW(broken([](auto& stages) { stages[1].head.values.pop_back(); }), ContractError);
  EXPECT_THROW(broken([](auto& stages) { stages[1].shift.pop_back(); }), ContractError);
  EXPECT_THROW(broken([](auto& stages) { stages[1].scale.pop_back(); }), ContractError);
  EXPECT_THROW(broken([](auto& stages) { stages.pop_back(); }), ContractError)
      << "more tokens than stages";
  expect_refused([&](int token) { mlp_logits(good, state, std::vector<int>{token}); },
                 {-1, kVocab});
  EXPECT_THROW(mlp_logits(good, state, {}), ContractError);
  EXPECT_THROW(mlp_logits(good, {}, tokens), ContractError);
  expect_refused([&](double epsilon) { mlp_logits(good, state, tokens, {.epsilon = epsilon}); },
                 kNotPositive);
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

TEST(MlpReference, RefusesArgumentsOutOfRange) {
  expect_refused([](int heads) { mlp_state_weight(heads); }, {0, -1});
  expect_refused([](int heads) { mlp_embedding_weight(heads, 8); }, {0, -1});
  expect_refused([](int size) { mlp_embedding_weight(3, size); }, {0, -1});
  expect_refused([](int size) { mlp_mix_ratio(3, size); }, {0, -1});
  expect_refused([](int step) { learning_rate_multiplier(step, {}); }, {-1, 21001});
  EXPECT_THROW(learning_rate_multiplier(0, {0, 5}), ContractError);
  EXPECT_THROW(learning_rate_multiplier(0, {5, 5}), ContractError);
}

}  // namespace
}  // namespace speclab::testing
