// Batches of texts with hidden states, and the gradient of the objective over them.

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "engines/training/torch/feature_transformer_trainer.h"
#include "engines/training/torch/target_rows.h"
#include "tests/engines/training/feature_drafter.h"

namespace speclab::engines {
namespace {

using testing::as_tensor;
using testing::feature_config;
using testing::TinyTarget;
using testing::train_options;

TEST(FeatureTransformerTask, LosesLittleToBfloat16) {
  const TinyTarget target;
  const auto texts = target.texts(8, 30);
  std::vector<const OwnText*> pointers;
  for (const OwnText& text : texts) pointers.push_back(&text);
  const auto loss = [&](const char* dtype) {
    TrainOptions options = train_options("");
    options.schedule.dtype = dtype;
    return feature_transformer_task(feature_config(target.config(), 1), target.feature_target(),
                                    options)
        ->backward(pointers);
  };
  const double exact = loss("float32"), rounded = loss("bfloat16");
  EXPECT_NE(rounded, exact) << "the dtype is ignored";
  EXPECT_NEAR(rounded, exact, 0.01 * exact);
}

/// The objective as it is written in feature_transformer_trainer.h, of whole tensors and by
/// autograd.
at::Tensor written_objective(const FeatureTransformerModel& model, const FeatureBatch& batch,
                             const at::Tensor& head, const FeatureTransformerOptions& options) {
  const at::Tensor law =
      at::exp(at::matmul(batch.next_hidden, head.t()) - batch.log_partitions.unsqueeze(1));
  const auto states = model.unrolled(batch.input, options.unrolled_steps);
  at::Tensor sum = at::zeros({});
  double weight = 1;
  for (std::size_t step = 0; step < states.size(); ++step, weight *= options.step_weight) {
    const at::Tensor state =
        states[step].reshape({-1, states[step].size(-1)}).index_select(0, batch.rows);
    const at::Tensor cross_entropy =
        -(law * at::log_softmax(at::matmul(state, head.t()), 1)).sum(1);
    const at::Tensor distance =
        (state - batch.next_hidden).pow(2).sum(1) / batch.next_hidden.pow(2).sum(1);
    const at::Tensor reached =
        (batch.row_numbers >= static_cast<std::int64_t>(step)).to(at::kFloat);
    sum = sum + weight * ((cross_entropy + options.feature_weight * distance) * reached).sum();
  }
  return sum / batch.rows.size(0);
}

/// The same text with more of it as its prompt.
void make_prompt(OwnText& text, std::int32_t prompt_length) {
  text.laws.erase(text.laws.begin(), text.laws.begin() + (prompt_length - text.prompt_length));
  text.prompt_length = prompt_length;
}

/// Prompts of many lengths; the objective is of all rows, the task queries those it needs.
TEST(FeatureTransformerTask, HasTheGradientOfItsObjective) {
  const TinyTarget target;
  const DecoderShape config = feature_config(target.config(), 1);
  TrainOptions options;
  options.feature_transformer = {.unrolled_steps = 3, .step_weight = 0.7, .feature_weight = 0.3};
  options.schedule = {.seed = 9, .dtype = "float32"};
  auto texts = target.texts(5, 20);
  for (std::size_t i = 0; i < texts.size(); ++i)
    make_prompt(texts[i], std::vector<std::int32_t>{1, 6, 15, 3, 20}[i]);
  texts[1].tokens.resize(12), texts[1].laws.resize(6),
      texts[1].hidden.resize(11 * texts[1].hidden.size() / 20);
  std::vector<const OwnText*> pointers;
  for (const OwnText& text : texts) pointers.push_back(&text);
  const auto task = feature_transformer_task(config, target.feature_target(), options);
  task->backward(pointers);
  const at::Tensor table = as_tensor(target.embedding(), config.hidden_size);
  const at::Tensor head =
      table.index_select(0, at::tensor(std::vector<std::int64_t>(config.draft_vocabulary.begin(),
                                                                 config.draft_vocabulary.end())));
  FeatureTransformerModel model(config, table, 9);
  written_objective(model,
                    make_feature_batch(pointers, {config.feature_size, config.hidden_size}, 1000),
                    head, options.feature_transformer)
      .backward();
  for (std::size_t i = 0; i < model.parameters().all().size(); ++i) {
    const at::Tensor expected = model.parameters().all()[i].value.grad(),
                     found = task->parameters().all()[i].value.grad();
    const double scale = expected.abs().max().item<double>();
    EXPECT_GT(scale, 0) << model.parameters().all()[i].name;
    EXPECT_LT((found - expected).abs().max().item<double>(), 1e-4 * scale)
        << model.parameters().all()[i].name;
  }
}

TEST(FeatureBatch, TakesPromptsOfAnyLength) {
  for (const std::int32_t prompt_length : {1, 2, 3}) {
    OwnText text{prompt_length,
                 1.0f,
                 {4, 5, 6, 7, 8},
                 std::vector<TopLaw>(static_cast<std::size_t>(5 - prompt_length)),
                 std::vector<std::uint16_t>(4 * 16)};
    for (std::size_t i = 0; i < text.laws.size(); ++i)
      text.laws[i].tokens[0] = text.tokens[static_cast<std::size_t>(prompt_length) + i];
    const FeatureBatch batch = make_feature_batch(std::vector<const OwnText*>{&text}, {16, 16}, 1);
    const std::int64_t first = std::max(0, prompt_length - 2);
    ASSERT_EQ(batch.rows.size(0), 3 - first) << prompt_length;
    for (std::int64_t i = 0; i < batch.rows.size(0); ++i) {
      EXPECT_EQ(batch.row_numbers[i].item<std::int64_t>(), first + i);
      EXPECT_EQ(batch.top_tokens[i].item<std::int64_t>(),
                text.tokens[static_cast<std::size_t>(first + i + 2)])
          << "row j speaks of token j + 2";
    }
  }
}

TEST(FeatureBatch, QueriesFromBeforeTheFirstEmittedTokenOn) {
  const auto text_of = [](std::int32_t prompt_length, std::int32_t size) {
    return OwnText{prompt_length, 1.0f, std::vector<Token>(static_cast<std::size_t>(size), 3),
                   std::vector<TopLaw>(static_cast<std::size_t>(size - prompt_length)),
                   std::vector<std::uint16_t>(static_cast<std::size_t>(size - 1) * 16)};
  };
  const OwnText early = text_of(1, 5), late = text_of(9, 12);
  const FeatureBatch batch =
      make_feature_batch(std::vector<const OwnText*>{&early, &late}, {16, 16}, 2);
  const auto values = [](const at::Tensor& tensor) {
    return std::vector<std::int64_t>(tensor.const_data_ptr<std::int64_t>(),
                                     tensor.const_data_ptr<std::int64_t>() + tensor.numel());
  };
  EXPECT_EQ(values(batch.input.queried),
            (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(values(batch.rows), (std::vector<std::int64_t>{0, 1, 2, 6 + 2, 6 + 3, 6 + 4}));
  EXPECT_EQ(values(batch.row_numbers), (std::vector<std::int64_t>{0, 1, 2, 7, 8, 9}));
}

}  // namespace
}  // namespace speclab::engines
