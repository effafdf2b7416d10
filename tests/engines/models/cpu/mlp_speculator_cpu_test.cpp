// The stages of an MLP speculator against the formulas of its release, in double precision.

#include <gtest/gtest.h>

#include <cmath>

#include "engines/models/mlp/mlp_speculator_config.h"
#include "sim/analytic/mlp_speculator.h"
#include "sim/core/errors.h"
#include "tests/engines/models/tiny_llama.h"
#include "tests/engines/models/tiny_mlp_speculator.h"

namespace speclab::engines {
namespace {

using testing::MadeWeights;
using testing::tiny_mlp_config;
using testing::tiny_mlp_weights;
using Values = std::vector<double>;

Values product(const std::vector<float>& matrix, const Values& x) {
  Values out(matrix.size() / x.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) out[i] += static_cast<double>(matrix[i * x.size() + j]) * x[j];
  return out;
}

Values normed(Values x) {
  double squares = 0;
  for (const double value : x) squares += value * value;
  for (double& value : x) value /= std::sqrt(squares / static_cast<double>(x.size()) + 1e-6);
  return x;
}

/// z = E[token]; h = P h + (w_e / w_s) z; h = GELU(g norm(h) + s).
Values stage_by_hand(const MlpSpeculatorConfig& config, const MadeWeights& weights, std::int32_t stage, Values state, Token token) {
  if (stage == 0 && config.scales_input) {
    state = normed(state);
    for (double& value : state) value /= std::sqrt(2.0);
  }
  const auto embedding = weights.read_float32(config.embedding(stage)), scale = weights.read_float32(config.scale(stage)), shift = weights.read_float32(config.shift(stage));
  Values mixed = product(weights.read_float32(config.projection(stage)), state);
  const auto row = static_cast<std::size_t>(config.embedding_rows()[static_cast<std::size_t>(token)]) * mixed.size();
  const double state_weight = std::pow(0.5, 0.5 / config.num_heads), embedding_weight = std::sqrt((1 - state_weight * state_weight) * config.inner_size / 2.0);
  for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] += embedding_weight / state_weight * static_cast<double>(embedding[row + i]);
  mixed = normed(mixed);
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    const double x = mixed[i] * static_cast<double>(scale[i]) + static_cast<double>(shift[i]);
    mixed[i] = x * 0.5 * (1 + std::erf(x / std::sqrt(2.0)));
  }
  return mixed;
}

struct Variant {
  const char* name;
  bool is_tied, scales_input, has_whole_vocabulary;
};
void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

class MlpSpeculatorStages : public ::testing::TestWithParam<Variant> {
 protected:
  static MlpSpeculatorConfig config() {
    MlpSpeculatorConfig config = tiny_mlp_config(testing::tiny_config());
    config.is_tied = GetParam().is_tied;
    config.scales_input = GetParam().scales_input;
    if (GetParam().has_whole_vocabulary) config.draft_vocabulary.clear();
    return config;
  }
};

TEST_P(MlpSpeculatorStages, AreTheReleasedFormulas) {
  const MlpSpeculatorConfig config = this->config();
  const MadeWeights weights = tiny_mlp_weights(config);
  cpu::MlpSpeculatorCpu speculator(config, weights, cpu::ElementType::float32, std::make_shared<cpu::ThreadTeam>(2));
  std::vector<std::vector<float>> states(2, std::vector<float>(static_cast<std::size_t>(config.base_hidden_size)));
  for (std::size_t i = 0; i < states[0].size(); ++i) states[0][i] = std::sin(static_cast<float>(i)), states[1][i] = std::cos(static_cast<float>(3 * i));
  std::vector<Values> expected{Values(states[0].begin(), states[0].end()), Values(states[1].begin(), states[1].end())};
  for (std::int32_t stage = 0; stage < config.num_heads; ++stage) {
    const std::vector<Token> tokens{10 + stage, 3};  // 3 is outside the draft vocabulary
    const std::vector<MlpSpeculator::Row> rows{{states[0].data(), tokens[0]}, {states[1].data(), tokens[1]}};
    const MlpSpeculator::Stage found = speculator.run_stage(stage, rows);
    ASSERT_EQ(found.logits.size(), 2 * static_cast<std::size_t>(config.num_logits()));
    for (std::size_t r = 0; r < 2; ++r) {
      expected[r] = stage_by_hand(config, weights, stage, expected[r], tokens[r]);
      const auto logits = product(weights.read_float32(config.head(stage)), expected[r]);
      for (std::size_t i = 0; i < logits.size(); ++i) ASSERT_NEAR(static_cast<double>(found.logits[r * logits.size() + i]), logits[i], 1e-4) << "stage " << stage << ", row " << r;
    }
    for (std::size_t r = 0; r < 2; ++r) states[r].assign(found.states.begin() + static_cast<std::ptrdiff_t>(r * 32), found.states.begin() + static_cast<std::ptrdiff_t>((r + 1) * 32));
  }
}

TEST_P(MlpSpeculatorStages, GiveARowTheSameBitsBesideOthersAndWithMoreThreads) {
  const MlpSpeculatorConfig config = this->config();
  const MadeWeights weights = tiny_mlp_weights(config);
  const std::vector<float> state(static_cast<std::size_t>(config.base_hidden_size), 0.5f), other(state.size(), -1.0f);
  for (const cpu::ElementType type : {cpu::ElementType::float32, cpu::ElementType::bfloat16}) {
    cpu::MlpSpeculatorCpu alone(config, weights, type, std::make_shared<cpu::ThreadTeam>(1)), beside(config, weights, type, std::make_shared<cpu::ThreadTeam>(2));
    const auto one = alone.run_stage(0, std::vector<MlpSpeculator::Row>{{state.data(), 4}}).logits;
    const auto three = beside.run_stage(0, std::vector<MlpSpeculator::Row>{{other.data(), 9}, {state.data(), 4}, {other.data(), 2}}).logits;
    EXPECT_TRUE(std::ranges::equal(one, three.subspan(one.size(), one.size())));
  }
}

/// Of the whole vocabulary as the analytic model counts them; a draft vocabulary has one embedding more.
TEST_P(MlpSpeculatorStages, AreCountedAsReleased) {
  const MlpSpeculatorConfig config = this->config();
  const MadeWeights weights = tiny_mlp_weights(config);
  std::int64_t values = 0;
  for (const TensorInfo& tensor : weights.tensors()) values += tensor.num_elements;
  EXPECT_EQ(config.num_parameters(), values);
  if (!config.draft_vocabulary.empty()) return;
  EXPECT_EQ(values, sim::mlp_parameters({config.base_hidden_size, config.vocab_size, config.num_heads, config.inner_size, config.is_tied}));
}

INSTANTIATE_TEST_SUITE_P(Variants, MlpSpeculatorStages,
                         ::testing::Values(Variant{"untied", false, false, true}, Variant{"tied", true, false, true}, Variant{"tied and scaled", true, true, false},
                                           Variant{"untied and scaled", false, true, false}));

TEST(MlpSpeculatorCpu, RefusesATensorOfAnotherShape) {
  const MlpSpeculatorConfig config = tiny_mlp_config(testing::tiny_config());
  MlpSpeculatorConfig wider = config;
  wider.inner_size = 48;
  const MadeWeights weights = tiny_mlp_weights(config);
  EXPECT_THROW(cpu::MlpSpeculatorCpu(wider, weights, cpu::ElementType::float32, std::make_shared<cpu::ThreadTeam>(1)), ModelFileError);
}

}  // namespace
}  // namespace speclab::engines
