// The MLP speculator: what it is trained on is what it drafts, its gradient, its folder, and that
// it learns.

#include "engines/training/torch/mlp_speculator_trainer.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engines/cpu/mlp_speculator_cpu.h"
#include "engines/drafters/drafters.h"
#include "engines/families/catalogue.h"
#include "engines/training/draft_tokens.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/sha256.h"
#include "tests/engines/drafters/draft_chain.h"
#include "tests/engines/models/tiny_llama.h"
#include "tests/engines/training/feature_drafter.h"
#include "tests/support/mlp_reference.h"

namespace speclab::engines {
namespace {

using testing::as_tensor;
using testing::TinyTarget;

TrainOptions mlp_options(const std::string& folder, bool is_tied = true) {
  TrainOptions options = testing::train_options(folder);
  options.drafter = "mlp_speculator";
  options.mlp_speculator = {
      .num_heads = 3, .inner_size = 48, .is_tied = is_tied, .scales_input = !is_tied};
  return options;
}

std::vector<TrainProgress> train(const TinyTarget& target, const std::vector<OwnText>& texts,
                                 const TrainOptions& options) {
  std::vector<TrainProgress> reports;
  train_mlp_speculator(texts, target.feature_target(), options,
                       {[&](const TrainProgress& p) { reports.push_back(p); }});
  return reports;
}

std::unique_ptr<DraftModel> draft_model_of(const std::string& folder) {
  const MlpSpeculatorSource source = open_mlp_speculator(folder);
  return mlp_draft_model(std::make_shared<cpu::MlpSpeculatorCpu>(
      source.config, *source.weights, cpu::ElementType::float32,
      std::make_shared<cpu::ThreadTeam>(1)));
}

class OneSpeculator final : public DrafterModels {
 public:
  explicit OneSpeculator(std::shared_ptr<MlpSpeculator> speculator)
      : speculator_(std::move(speculator)) {}
  std::shared_ptr<LanguageModel> language_model(const std::string&, const std::string&) override {
    return nullptr;
  }
  std::shared_ptr<MlpSpeculator> mlp_speculator(const std::string&) override { return speculator_; }
  std::shared_ptr<const NgramModel> ngrams(const std::string&, const std::string&) override {
    return nullptr;
  }

 private:
  std::shared_ptr<MlpSpeculator> speculator_;
};

class MlpSpeculatorTraining : public ::testing::TestWithParam<bool> {};

TEST_P(MlpSpeculatorTraining, DraftsWhatItsTrainingUnrolls) {
  const TinyTarget target;
  const std::string folder = target.folder() + "/drafter";
  train(target, target.texts(40, 12), mlp_options(folder, GetParam()));
  const MlpSpeculatorSource source = open_mlp_speculator(folder);
  MlpSpeculatorModel model(source.config, 1);
  const at::NoGradGuard guard;
  for (auto& parameter : model.parameters().all())
    parameter.value.copy_(
        as_tensor(source.weights->read_float32(parameter.name), parameter.value.size(-1))
            .view(parameter.value.sizes()));
  std::mt19937 random(3);
  const std::vector<Token> tokens = testing::random_tokens(random, target.config().vocab_size, 12);
  const std::vector<float> hidden = target.hidden(tokens);
  const auto width = static_cast<std::size_t>(target.config().hidden_size);
  const at::Tensor inputs =
      at::tensor(std::vector<std::int64_t>(tokens.begin() + 1, tokens.end())).unsqueeze(0);
  const auto states = model.unrolled(
      {inputs, as_tensor(hidden, target.config().hidden_size).narrow(0, 0, 11).unsqueeze(0),
       at::arange(8, 11).unsqueeze(0)});
  const auto drafter = draft_model_of(folder);
  for (std::size_t step = 0; step < 3; ++step) {
    Sequence sequence{.tokens = {tokens.begin(), tokens.end() - static_cast<std::ptrdiff_t>(step)}};
    drafter->begin({&sequence, 1}, 8);
    drafter->read_hidden(sequence, std::span(hidden).first((sequence.tokens.size() - 1) * width));
    const auto drafted = testing::logits_after_chain(
        *drafter, sequence, {tokens.end() - static_cast<std::ptrdiff_t>(step), tokens.end()});
    const at::Tensor expected =
        at::matmul(model.head(static_cast<int>(step)), states[step][0][2]).contiguous();
    for (std::size_t i = 0; i < source.config.draft_vocabulary.size(); ++i)
      ASSERT_NEAR(drafted[static_cast<std::size_t>(source.config.draft_vocabulary[i])],
                  expected.const_data_ptr<float>()[i], 2e-4)
          << "step " << step;
  }
}

TEST_P(MlpSpeculatorTraining, LearnsTheTargetsLaw) {
  const TinyTarget target;
  TrainOptions options = mlp_options(target.folder() + "/learned", GetParam());
  options.schedule.epochs = 4;
  const auto reports = train(target, target.texts(640, 30), options);
  EXPECT_LT(reports.back().loss, reports.front().loss);
  EXPECT_GT(reports.back().acceptance_rate.value(), reports.front().acceptance_rate.value());
  const auto manifest = nlohmann::json::parse(read_file(options.output + "/manifest.json"));
  EXPECT_EQ(manifest.at("held_out")[0].at("acceptance_rate_of_further_tokens").size(), 2u)
      << "one a further head";
  EXPECT_TRUE(read_file(options.output + "/training.csv")
                  .starts_with("tokens,loss_nats,validation_loss_nats,validation_acceptance_rate,"
                               "validation_greedy_agreement,validation_loss_nats_2,"));
}

/// The sum over heads of their cross-entropies, of whole tensors and by autograd.
TEST_P(MlpSpeculatorTraining, HasTheGradientOfItsObjective) {
  const TinyTarget target;
  TrainOptions options = mlp_options("");
  options.schedule = {.seed = 9, .dtype = "float32"};
  MlpSpeculatorConfig config{.name = {},
                             .vocab_size = target.config().vocab_size,
                             .base_hidden_size = target.config().hidden_size,
                             .inner_size = 48,
                             .num_heads = 3,
                             .is_tied = GetParam()};
  for (Token token = 0; token < config.vocab_size; token += 3)
    config.draft_vocabulary.push_back(token);
  const auto texts = target.texts(3, 20);
  std::vector<const OwnText*> pointers;
  for (const OwnText& text : texts) pointers.push_back(&text);
  const auto task = mlp_speculator_task(config, target.feature_target(), options);
  task->backward(pointers);
  MlpSpeculatorModel model(config, 9);
  const FeatureBatch batch =
      make_feature_batch(pointers, {config.base_hidden_size, config.base_hidden_size}, 2);
  const at::Tensor law =
      TargetRows(target.feature_target(), config.draft_vocabulary, "forward_kl", at::kFloat)
          .law(batch, 0, batch.rows.size(0));
  const auto states = model.unrolled(batch.input);
  at::Tensor sum = at::zeros({});
  for (std::size_t step = 0; step < states.size(); ++step) {
    const at::Tensor scores = at::matmul(states[step].reshape({-1, 48}).index_select(0, batch.rows),
                                         model.head(static_cast<int>(step)).t());
    sum = sum - ((law * at::log_softmax(scores, 1)).sum(1) *
                 (batch.row_numbers >= static_cast<std::int64_t>(step)))
                    .sum();
  }
  (sum / batch.rows.size(0)).backward();
  for (std::size_t i = 0; i < model.parameters().all().size(); ++i) {
    const at::Tensor expected = model.parameters().all()[i].value.grad(),
                     found = task->parameters().all()[i].value.grad();
    const double scale = expected.abs().max().item<double>();
    EXPECT_GT(scale, 0) << model.parameters().all()[i].name;
    EXPECT_LT((found - expected).abs().max().item<double>(), 1e-4 * scale)
        << model.parameters().all()[i].name;
  }
}

INSTANTIATE_TEST_SUITE_P(Tied, MlpSpeculatorTraining, ::testing::Bool());

TEST(MlpSpeculatorTrainer, GoesOnOnlyFromItsOwnShapeAndTarget) {
  const TinyTarget target;
  const auto texts = target.texts(72, 24);
  const std::string first = target.folder() + "/first";
  train(target, texts, mlp_options(first));
  TrainOptions options = mlp_options(target.folder() + "/second");
  options.distillation.start_from = first;
  EXPECT_NO_THROW(check_mlp_speculator_start(options, target.sha256()));
  EXPECT_THROW(check_mlp_speculator_start(options, std::string(64, 'b')), ConfigError);
  options.mlp_speculator.num_heads = 4;
  EXPECT_THROW(check_mlp_speculator_start(options, target.sha256()), ConfigError);
  for (const std::string& folder : {target.folder() + "/nowhere", target.folder()}) {
    options.distillation.start_from = folder;
    EXPECT_THROW(check_mlp_speculator_start(options, target.sha256()), ConfigError) << folder;
  }
}

TEST(MlpSpeculatorTrainer, TakesTheVocabularyOfAnotherDrafter) {
  const TinyTarget target;
  TrainOptions options = mlp_options(target.folder() + "/first");
  options.schedule.epochs = 1;
  train(target, target.texts(72, 24), options);
  const MlpSpeculatorConfig first = read_mlp_speculator_config(options.output + "/config.json");
  options.distillation.vocabulary_from = options.output;
  options.output = target.folder() + "/second";
  options.schedule.seed = 77;
  train(target, target.texts(64, 6), options);
  EXPECT_EQ(read_mlp_speculator_config(options.output + "/config.json").draft_vocabulary,
            first.draft_vocabulary);
  EXPECT_EQ(nlohmann::json::parse(read_file(options.output + "/manifest.json"))
                .at("vocabulary_from")
                .at("config_sha256"),
            sha256_file(options.distillation.vocabulary_from + "/config.json"));
  DistillationOptions of_texts = options.distillation;
  of_texts.vocabulary_from.clear();
  EXPECT_NE(draft_tokens({}, first.vocab_size, of_texts), first.draft_vocabulary)
      << "it would have been another one";
}

TEST(MlpSpeculatorTrainer, RefusesAVocabularyThatDoesNotFit) {
  const TinyTarget target;
  TrainOptions options = mlp_options(target.folder() + "/first");
  options.schedule.epochs = 1;
  train(target, target.texts(72, 24), options);
  const ModelInfo info{
      .name = "tiny", .sha256 = target.sha256(), .vocab_size = target.config().vocab_size};
  DistillationOptions wanted = options.distillation;
  wanted.vocabulary_from = options.output;
  EXPECT_NO_THROW(check_vocabulary_from(wanted, info));
  ModelInfo other = info;
  other.sha256 = std::string(64, 'b');
  EXPECT_THROW(check_vocabulary_from(wanted, other), ConfigError);
  DistillationOptions more = wanted, both = wanted, nowhere = wanted;
  ++more.draft_vocabulary;
  both.start_from = options.output;
  nowhere.vocabulary_from = target.folder() + "/nowhere";
  write_file(target.folder() + "/config.json", "{\"draft_vocabulary\": [1, 2]}");
  DistillationOptions untold = wanted;
  untold.vocabulary_from = target.folder();
  EXPECT_THROW(check_vocabulary_from(untold, info), ConfigError) << "no word of its target";
  for (const DistillationOptions& mistake : {more, both, nowhere})
    EXPECT_THROW(check_vocabulary_from(mistake, info), ConfigError) << mistake.vocabulary_from;
}

TEST(MlpSpeculatorTrainer, GoesOnFromATrainedFolder) {
  const TinyTarget target;
  TrainOptions options = mlp_options(target.folder() + "/first");
  options.schedule.epochs = 4;
  const double from_random = train(target, target.texts(200, 30), options).front().loss;
  options.distillation.start_from = options.output;
  options.output = target.folder() + "/second";
  EXPECT_LT(train(target, target.texts(90, 12), options).front().loss, from_random - 0.02);
}

/// The first stage of the released schedule.
TEST(MlpSpeculatorTrainer, HasTheReleasedRates) {
  for (const std::int64_t step : {0, 1, 200, 749, 750, 7500, 15000})
    EXPECT_NEAR(learning_rate_multiplier("parabola_cosine", step, 15000),
                speclab::testing::learning_rate_multiplier(static_cast<int>(step), {15000, 21000}),
                1e-12)
        << step;
}

struct StoppedMlp {};

TEST(MlpSpeculatorTrainer, GoesOnToTheSameBitsAfterItWasStopped) {
  const TinyTarget target;
  const auto texts = target.texts(72, 24);
  const auto trained = [&](const std::string& folder, int stop_after) {
    TrainOptions options = mlp_options(folder, false);
    options.schedule.rate_schedule = "parabola_cosine";
    int calls = 0;
    train_mlp_speculator(texts, target.feature_target(), options,
                         {[](const TrainProgress&) {},
                          [&] {
                            if (++calls == stop_after) throw StoppedMlp();
                          }});
    return read_file(folder + "/model.safetensors") + read_file(folder + "/training.csv");
  };
  const std::string whole = trained(target.folder() + "/whole", -1),
                    folder = target.folder() + "/stopped";
  EXPECT_THROW(trained(folder, 20), StoppedMlp);
  EXPECT_EQ(trained(folder, -1), whole);
}

TEST(MlpSpeculatorFolder, IsRefusedBesideAnotherTarget) {
  const TinyTarget target;
  const std::string folder = target.folder() + "/drafter";
  train(target, target.texts(40, 12), mlp_options(folder));
  MlpSpeculatorConfig config = read_mlp_speculator_config(folder + "/config.json");
  EXPECT_NO_THROW(open_mlp_speculator(folder));
  EXPECT_THROW(open_mlp_speculator(target.folder()), ConfigError) << "a model of another kind";
  EXPECT_THROW(open_model(folder), ConfigError) << "it is no model by itself";
  const auto speculator = std::make_shared<cpu::MlpSpeculatorCpu>(
      config, *open_mlp_speculator(folder).weights, cpu::ElementType::float32,
      std::make_shared<cpu::ThreadTeam>(1));
  OneSpeculator models(speculator);
  ModelInfo info;
  info.vocab_size = target.config().vocab_size;
  info.hidden_size = target.config().hidden_size;
  info.sha256 = target.sha256();
  EXPECT_NO_THROW(make_drafter({.drafter = {.kind = "mlp_speculator"}}, info, models));
  info.sha256 = std::string(64, 'a');
  EXPECT_THROW(make_drafter({.drafter = {.kind = "mlp_speculator"}}, info, models), ConfigError);
}

TEST(MlpSpeculatorFolder, GivesBackItsConfig) {
  const TinyTarget target;
  const std::string path = target.folder() + "/speculator.json";
  for (const std::vector<Token>& draft_vocabulary :
       {std::vector<Token>{}, std::vector<Token>{2, 5, 9}}) {
    const MlpSpeculatorConfig config{.name = {},
                                     .vocab_size = 300,
                                     .base_hidden_size = 64,
                                     .inner_size = 48,
                                     .num_heads = 4,
                                     .is_tied = true,
                                     .scales_input = true,
                                     .draft_vocabulary = draft_vocabulary,
                                     .target = "t",
                                     .target_sha256 = "s"};
    write_mlp_speculator_config(config, path);
    const MlpSpeculatorConfig found = read_mlp_speculator_config(path);
    EXPECT_EQ(found.draft_vocabulary, draft_vocabulary);
    EXPECT_EQ(found.num_parameters(), config.num_parameters());
    EXPECT_EQ(found.target_sha256, "s");
  }
}

TEST(MlpSpeculatorFolder, RefusesImpossibleSizes) {
  const TinyTarget target;
  const std::string path = target.folder() + "/wrong.json";
  const auto refused = [&](const char* field, const nlohmann::json& value) {
    nlohmann::json object = {{"model_type", "mlp_speculator"},
                             {"vocab_size", 300},
                             {"emb_dim", 64},
                             {"inner_dim", 48},
                             {"n_predict", 3}};
    object[field] = value;
    write_file(path, object.dump());
    try {
      read_mlp_speculator_config(path);
      ADD_FAILURE() << field << " = " << value << " was accepted";
    } catch (const ModelFileError& error) {
      EXPECT_NE(std::string(error.what()).find(field), std::string::npos) << error.what();
    }
  };
  refused("n_predict", 0);
  refused("n_predict", 17);
  refused("emb_dim", 65);
  refused("inner_dim", 1 << 20);
  refused("vocab_size", -1);
  refused("model_type", "llama");
  refused("draft_vocabulary", {5, 3});
  refused("draft_vocabulary", {5, 300});
  refused("draft_vocabulary", nlohmann::json::array());
}

TEST(MlpSpeculatorFolder, ReadsAPublishedConfig) {
  const TinyTarget target;
  const std::string path = target.folder() + "/published.json";
  write_file(
      path,
      R"({"architectures": ["MLPSpeculatorPreTrainedModel"], "emb_dim": 4096, "inner_dim": 3072,
        "model_type": "mlp_speculator", "n_candidates": 4,
                       "n_predict": 4, "scale_input": true, "tie_weights": false,
                         "top_k_tokens_per_head": [4, 3, 2, 2], "vocab_size": 128256})");
  const MlpSpeculatorConfig config = read_mlp_speculator_config(path);
  EXPECT_EQ(config.num_parameters(), 3192938496) << "of the released Llama-3-8B speculator";
  EXPECT_TRUE(config.scales_input);
  EXPECT_EQ(config.projection(2), "speculator.proj.2.weight");
}

}  // namespace
}  // namespace speclab::engines
