// The stages of an MLP speculator against the analytic model's, which are in double precision.

#include <gtest/gtest.h>

#include <cmath>

#include "engines/models/mlp_speculator_config.h"
#include "sim/analytic/other_forms.h"
#include "sim/system/errors.h"
#include "tests/engines/models/tiny_llama.h"
#include "tests/engines/models/tiny_mlp_speculator.h"
#include "tests/support/mlp_reference.h"

namespace speclab::engines {
namespace {

using testing::MadeWeights;
using testing::tiny_mlp_config;
using testing::tiny_mlp_weights;
using Values = std::vector<double>;

/// @param rows  beyond those of the tensor are zero
speclab::testing::Matrix matrix_of(const MadeWeights& weights, const std::string& name,
                                   std::int32_t columns, std::int32_t rows) {
  const std::vector<float> values = weights.read_float32(name);
  speclab::testing::Matrix matrix{rows, columns, {values.begin(), values.end()}};
  matrix.values.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  return matrix;
}

Values values_of(const MadeWeights& weights, const std::string& name) {
  const std::vector<float> values = weights.read_float32(name);
  return {values.begin(), values.end()};
}

/// In double; a head has a row of zeros for the embedding of all other tokens.
std::vector<speclab::testing::MlpStage> stages_of(const MlpSpeculatorConfig& config,
                                                  const MadeWeights& weights) {
  std::vector<speclab::testing::MlpStage> stages;
  const std::int32_t rows = config.num_embeddings(), inner = config.inner_size;
  for (std::int32_t stage = 0; stage < config.num_heads; ++stage)
    stages.push_back({matrix_of(weights, config.embedding(stage), inner, rows),
                      matrix_of(weights, config.projection(stage),
                                stage == 0 ? config.base_hidden_size : inner, inner),
                      matrix_of(weights, config.head(stage), inner, rows),
                      values_of(weights, config.scale(stage)),
                      values_of(weights, config.shift(stage))});
  return stages;
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

TEST_P(MlpSpeculatorStages, AreTheReleasedOnes) {
  const MlpSpeculatorConfig config = this->config();
  const MadeWeights weights = tiny_mlp_weights(config);
  cpu::MlpSpeculatorCpu speculator(config, weights, cpu::ElementType::float32,
                                   std::make_shared<cpu::ThreadTeam>(2));
  std::vector<std::vector<float>> states(
      2, std::vector<float>(static_cast<std::size_t>(config.base_hidden_size)));
  for (std::size_t i = 0; i < states[0].size(); ++i)
    states[0][i] = std::sin(static_cast<float>(i)),
    states[1][i] = std::cos(static_cast<float>(3 * i));
  const std::vector<Values> base{Values(states[0].begin(), states[0].end()),
                                 Values(states[1].begin(), states[1].end())};
  const std::vector<speclab::testing::MlpStage> stages = stages_of(config, weights);
  const std::vector<std::int32_t> embedding_rows = config.embedding_rows();
  std::vector<std::vector<int>> read(2);
  for (std::int32_t stage = 0; stage < config.num_heads; ++stage) {
    const std::vector<Token> tokens{10 + stage, 3};  // 3 is outside the draft vocabulary
    const std::vector<MlpSpeculator::Row> rows{{states[0].data(), tokens[0]},
                                               {states[1].data(), tokens[1]}};
    const MlpSpeculator::Stage found = speculator.run_stage(stage, rows);
    const auto num_logits = static_cast<std::size_t>(config.num_logits());
    ASSERT_EQ(found.logits.size(), 2 * num_logits);
    for (std::size_t r = 0; r < 2; ++r) {
      read[r].push_back(embedding_rows[static_cast<std::size_t>(tokens[r])]);
      const Values expected = speclab::testing::mlp_logits(stages, base[r], read[r],
                                                           {.scale_input = config.scales_input});
      for (std::size_t i = 0; i < num_logits; ++i)
        ASSERT_NEAR(static_cast<double>(found.logits[r * num_logits + i]), expected[i], 1e-4)
            << "stage " << stage << ", row " << r;
      states[r].assign(found.states.begin() + static_cast<std::ptrdiff_t>(r * 32),
                       found.states.begin() + static_cast<std::ptrdiff_t>((r + 1) * 32));
    }
  }
}

TEST_P(MlpSpeculatorStages, GiveARowTheSameBitsBesideOthersAndWithMoreThreads) {
  const MlpSpeculatorConfig config = this->config();
  const MadeWeights weights = tiny_mlp_weights(config);
  const std::vector<float> state(static_cast<std::size_t>(config.base_hidden_size), 0.5f),
      other(state.size(), -1.0f);
  for (const cpu::ElementType type : {cpu::ElementType::float32, cpu::ElementType::bfloat16}) {
    cpu::MlpSpeculatorCpu alone(config, weights, type, std::make_shared<cpu::ThreadTeam>(1)),
        beside(config, weights, type, std::make_shared<cpu::ThreadTeam>(2));
    const auto one = alone.run_stage(0, std::vector<MlpSpeculator::Row>{{state.data(), 4}}).logits;
    const auto three = beside
                           .run_stage(0,
                                      std::vector<MlpSpeculator::Row>{
                                          {other.data(), 9}, {state.data(), 4}, {other.data(), 2}})
                           .logits;
    EXPECT_TRUE(std::ranges::equal(one, three.subspan(one.size(), one.size())));
  }
}

/// Of the whole vocabulary as the analytic model counts them; a draft vocabulary has one embedding
/// more.
TEST_P(MlpSpeculatorStages, AreCountedAsReleased) {
  const MlpSpeculatorConfig config = this->config();
  const MadeWeights weights = tiny_mlp_weights(config);
  std::int64_t values = 0;
  for (const TensorInfo& tensor : weights.tensors()) values += tensor.num_elements;
  EXPECT_EQ(config.num_parameters(), values);
  if (!config.draft_vocabulary.empty()) return;
  EXPECT_EQ(values, sim::mlp_parameters({config.base_hidden_size, config.vocab_size,
                                         config.num_heads, config.inner_size, config.is_tied}));
}

INSTANTIATE_TEST_SUITE_P(Variants, MlpSpeculatorStages,
                         ::testing::Values(Variant{"untied", false, false, true},
                                           Variant{"tied", true, false, true},
                                           Variant{"tied and scaled", true, true, false},
                                           Variant{"untied and scaled", false, true, false}));

TEST(MlpSpeculatorCpu, RefusesValuesThatAreNotFinite) {
  const MlpSpeculatorConfig config = tiny_mlp_config(testing::tiny_config());
  MadeWeights weights;
  const MadeWeights sound = tiny_mlp_weights(config);
  for (const TensorInfo& tensor : sound.tensors()) {
    std::vector<float> values = sound.read_float32(tensor.name);
    if (tensor.name == config.shift(1)) values[3] = std::nanf("");
    weights.add(tensor.name, tensor.shape, std::move(values));
  }
  EXPECT_THROW(cpu::MlpSpeculatorCpu(config, weights, cpu::ElementType::float32,
                                     std::make_shared<cpu::ThreadTeam>(1)),
               ModelFileError);
}

TEST(MlpSpeculatorCpu, RefusesATensorOfAnotherShape) {
  const MlpSpeculatorConfig config = tiny_mlp_config(testing::tiny_config());
  MlpSpeculatorConfig wider = config;
  wider.inner_size = 48;
  const MadeWeights weights = tiny_mlp_weights(config);
  EXPECT_THROW(cpu::MlpSpeculatorCpu(wider, weights, cpu::ElementType::float32,
                                     std::make_shared<cpu::ThreadTeam>(1)),
               ModelFileError);
}

}  // namespace
}  // namespace speclab::engines
