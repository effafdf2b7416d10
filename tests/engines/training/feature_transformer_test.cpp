// The drafter that reads the target's hidden states: what it is trained on is what it drafts, through its folder and cache.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engines/models/catalogue.h"
#include "engines/models/cpu/llama_cpu.h"
#include "engines/models/llama/feature_transformer.h"
#include "engines/training/torch/drafter_folder.h"
#include "engines/training/torch/feature_batch.h"
#include "engines/training/torch/feature_transformer_model.h"
#include "engines/training/torch/feature_transformer_trainer.h"
#include "sim/core/errors.h"
#include "sim/core/files.h"
#include "sim/core/sha256.h"
#include "tests/engines/drafters/draft_chain.h"
#include "tests/engines/models/tiny_llama.h"
#include "tests/engines/training/tiny_target.h"

namespace speclab::engines {
namespace {

using testing::TinyTarget;

LlamaConfig feature_config(const LlamaConfig& target, std::int32_t num_layers) {
  LlamaConfig config = target;
  config.num_layers = num_layers;
  config.feature_size = target.hidden_size;
  config.tied_embeddings = false;
  for (Token token = 0; token < target.vocab_size; token += 3) config.draft_vocabulary.push_back(token);
  return config;
}

at::Tensor as_tensor(std::span<const float> values, std::int64_t columns) {
  return at::from_blob(const_cast<float*>(values.data()), {static_cast<std::int64_t>(values.size()) / columns, columns}, at::kFloat).clone();
}

/// A model with weights that bfloat16 holds, written as its folder.
FeatureTransformerModel written_model(const TinyTarget& target, const LlamaConfig& config, const std::string& folder) {
  FeatureTransformerModel model(config, as_tensor(target.embedding(), config.hidden_size), 5);
  for (auto& parameter : model.parameters().all()) parameter.value = parameter.value.detach().to(at::kBFloat16).to(at::kFloat);
  make_folder(folder);
  write_drafter(model.parameters(), {"tokens\n", {}}, folder, [&](const std::string& path) { write_feature_transformer_config({config, target.folder(), target.sha256()}, path); });
  return model;
}

/// Logits over the draft vocabulary that the engine's drafter gives after `drafted` tokens that it drafts behind the prefix.
class EngineDrafts {
 public:
  EngineDrafts(const std::string& folder, std::vector<float> hidden) : hidden_(std::move(hidden)), model_(load(folder)) {}

  /// @param tokens  prefix and pending token; read in two steps, so that the cache is continued
  std::vector<float> after(const std::vector<Token>& tokens, const std::vector<Token>& drafted) {
    const auto width = static_cast<std::size_t>(model_.info().hidden_size);
    Sequence sequence{.tokens = {tokens.begin(), tokens.end() - 2}};
    model_.begin({&sequence, 1}, 32);
    read(sequence, 0, sequence.tokens.size() - 1, width);
    sequence.tokens = tokens;
    read(sequence, tokens.size() - 3, tokens.size() - 1, width);
    const std::span<const float> logits = testing::logits_after_chain(model_, sequence, drafted);
    return {logits.begin(), logits.end()};
  }

 private:
  static std::shared_ptr<LanguageModel> load(const std::string& folder) {
    const ModelSource source = open_model(folder);
    return std::make_shared<cpu::LlamaCpu>(source.config, *source.weights, cpu::ElementType::float32, std::make_shared<cpu::ThreadTeam>(1));
  }
  void read(const Sequence& sequence, std::size_t begin, std::size_t end, std::size_t width) {
    model_.read_hidden(sequence, std::span(hidden_).subspan(begin * width, (end - begin) * width));
    if (begin == 0) model_.read_emitted(sequence);
  }

  std::vector<float> hidden_;
  DraftModel model_;
};

class FeatureTransformer : public ::testing::TestWithParam<std::int32_t> {};

TEST_P(FeatureTransformer, DraftsWhatItsTrainingUnrolls) {
  const TinyTarget target;
  const LlamaConfig config = feature_config(target.config(), GetParam());
  const std::string folder = target.folder() + "/drafter";
  const FeatureTransformerModel model = written_model(target, config, folder);
  std::mt19937 random(3);
  const std::vector<Token> tokens = testing::random_tokens(random, config.vocab_size, 12);
  const std::vector<float> hidden = target.hidden(tokens);
  EngineDrafts engine(folder, hidden);
  const at::Tensor inputs = at::tensor(std::vector<std::int64_t>(tokens.begin() + 1, tokens.end())).unsqueeze(0);
  const std::int64_t first = config.num_layers == 1 ? 7 : 0;  // where one layer's first of four drafts of the last token begins
  const auto states = model.unrolled({inputs, as_tensor(hidden, config.hidden_size).narrow(0, 0, 11).unsqueeze(0), at::arange(first, 11).unsqueeze(0)}, 4);
  const at::Tensor head = as_tensor(target.embedding(), config.hidden_size);
  for (std::size_t step = 0; step < states.size(); ++step) {
    const std::vector<Token> pending(tokens.begin(), tokens.end() - static_cast<std::ptrdiff_t>(step));
    const std::vector<float> drafted = engine.after(pending, {tokens.end() - static_cast<std::ptrdiff_t>(step), tokens.end()});
    const at::Tensor expected = at::matmul(head, states[step][0][10 - first]).contiguous();
    for (const Token token : config.draft_vocabulary)
      ASSERT_NEAR(drafted[static_cast<std::size_t>(token)], expected.const_data_ptr<float>()[token], 2e-4) << "step " << step << " token " << token;
    EXPECT_EQ(drafted[1], -std::numeric_limits<float>::infinity()) << "token 1 is outside the draft vocabulary";
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, FeatureTransformer, ::testing::Values(1, 2));

TEST(FeatureTransformerFolder, IsRefusedBesideAnotherTarget) {
  const TinyTarget target;
  const LlamaConfig config = feature_config(target.config(), 1);
  const std::string folder = target.folder() + "/drafter";
  written_model(target, config, folder);
  write_feature_transformer_config({config, target.folder(), std::string(64, 'a')}, folder + "/config.json");
  EXPECT_THROW(open_model(folder), ModelFileError);
  write_feature_transformer_config({config, folder, target.sha256()}, folder + "/config.json");
  EXPECT_THROW(open_model(folder), ModelFileError) << "its own target";
}

TEST(FeatureTransformerFolder, RefusesADraftVocabularyOutOfOrder) {
  const TinyTarget target;
  LlamaConfig config = feature_config(target.config(), 1);
  std::swap(config.draft_vocabulary[3], config.draft_vocabulary[4]);
  const std::string path = target.folder() + "/config_of_drafter.json";
  write_feature_transformer_config({config, target.folder(), target.sha256()}, path);
  try {
    read_feature_transformer_config(path);
    FAIL() << "accepted";
  } catch (const ModelFileError& error) {
    EXPECT_NE(std::string(error.what()).find("rising order"), std::string::npos) << error.what();
  }
}

TrainOptions train_options(const std::string& folder) {
  TrainOptions options;
  options.drafter = "feature_transformer";
  options.feature_transformer = {.intermediate_size = 64, .draft_vocabulary = 100};
  options.schedule = {.batch = 8, .learning_rate = 3e-3, .epochs = 12, .validation_sequences = 8};
  options.output = folder;
  return options;
}

class FeatureTransformerDtype : public ::testing::TestWithParam<const char*> {};

TEST_P(FeatureTransformerDtype, LearnsTheTargetsLaw) {
  const TinyTarget target;
  std::vector<TrainProgress> reports;
  TrainOptions options = train_options(target.folder() + "/learned");
  options.schedule.epochs = 4;
  options.schedule.dtype = GetParam();
  train_feature_transformer(target.texts(640, 30), target.feature_target(), options, {[&](const TrainProgress& p) { reports.push_back(p); }});
  ASSERT_GE(reports.size(), 2u);
  EXPECT_LT(reports.back().loss, reports.front().loss);
  EXPECT_GT(reports.back().acceptance_rate.value(), reports.front().acceptance_rate.value());
  EXPECT_NO_THROW(open_model(target.folder() + "/learned"));
}

INSTANTIATE_TEST_SUITE_P(Dtypes, FeatureTransformerDtype, ::testing::Values("float32", "bfloat16"));

TEST(FeatureTransformerTask, LosesLittleToBfloat16) {
  const TinyTarget target;
  const auto texts = target.texts(8, 30);
  std::vector<const OwnText*> pointers;
  for (const OwnText& text : texts) pointers.push_back(&text);
  const auto loss = [&](const char* dtype) {
    TrainOptions options = train_options("");
    options.schedule.dtype = dtype;
    return feature_transformer_task(feature_config(target.config(), 1), target.feature_target(), options)->backward(pointers);
  };
  const double exact = loss("float32"), rounded = loss("bfloat16");
  EXPECT_NE(rounded, exact) << "the dtype is ignored";
  EXPECT_NEAR(rounded, exact, 0.01 * exact);
}

TEST(FeatureTransformerTrainer, WritesWhatItWasMadeOfIntoItsManifest) {
  const TinyTarget target;
  const auto texts = target.texts(72, 24);
  TrainOptions options = train_options(target.folder() + "/first");
  options.schedule.dtype = "bfloat16";
  train_feature_transformer(texts, target.feature_target(), options, {[](const TrainProgress&) {}});
  options.feature_transformer.start_from = options.output;
  options.output = target.folder() + "/second";
  train_feature_transformer(texts, target.feature_target(), options, {[](const TrainProgress&) {}});
  const auto first = nlohmann::json::parse(read_file(target.folder() + "/first/manifest.json")), second = nlohmann::json::parse(read_file(options.output + "/manifest.json"));
  EXPECT_EQ(second.at("start_from"), first);
  EXPECT_EQ(second.at("sha256"), sha256_file(options.output + "/model.safetensors"));
  EXPECT_EQ(first.at("target_sha256"), target.sha256());
  EXPECT_EQ(first.at("schedule").at("dtype"), "bfloat16");
  ASSERT_EQ(first.at("held_out").size(), 1u) << "one temperature";
  EXPECT_EQ(first.at("held_out")[0].at("temperature"), 1.0);
  EXPECT_EQ(first.at("held_out")[0].at("tokens"), 8 * 24);
  EXPECT_GT(first.at("held_out")[0].at("acceptance_rate"), 0.0);
}

TEST(FeatureTransformerTrainer, GoesOnFromATrainedFolder) {
  const TinyTarget target;
  const auto texts = target.texts(200, 30), fewer = target.texts(90, 12);
  const auto first_loss = [&](const std::string& start_from) {
    std::vector<TrainProgress> reports;
    TrainOptions options = train_options(target.folder() + (start_from.empty() ? "/first" : "/second"));
    options.schedule.epochs = 4;
    options.feature_transformer.start_from = start_from;
    train_feature_transformer(start_from.empty() ? texts : fewer, target.feature_target(), options, {[&](const TrainProgress& p) { reports.push_back(p); }});
    return reports.front().loss;
  };
  const double from_random = first_loss("");
  EXPECT_LT(first_loss(target.folder() + "/first"), from_random - 0.05);
  EXPECT_EQ(read_feature_transformer_config(target.folder() + "/first/config.json").shape.draft_vocabulary,
            read_feature_transformer_config(target.folder() + "/second/config.json").shape.draft_vocabulary);
}

TEST(FeatureTransformerTrainer, GoesOnOnlyFromItsOwnShapeAndTarget) {
  const TinyTarget target;
  const auto texts = target.texts(72, 24);
  const std::string first = target.folder() + "/first";
  train_feature_transformer(texts, target.feature_target(), train_options(first), {[](const TrainProgress&) {}});
  TrainOptions options = train_options(target.folder() + "/second");
  options.feature_transformer.start_from = first;
  options.feature_transformer.intermediate_size = 80;
  EXPECT_THROW(train_feature_transformer(texts, target.feature_target(), options, {[](const TrainProgress&) {}}), ConfigError);
  options.feature_transformer.intermediate_size = 64;
  FeatureTarget other = target.feature_target();
  other.sha256 = std::string(64, 'b');
  EXPECT_THROW(train_feature_transformer(texts, other, options, {[](const TrainProgress&) {}}), ConfigError);
  for (const std::string& folder : {target.folder() + "/nowhere", target.folder()}) {
    options.feature_transformer.start_from = folder;
    EXPECT_THROW(check_start(options.feature_transformer, target.sha256()), ConfigError) << folder;
  }
}

TEST(FeatureTransformerTrainer, DoesNotGoOnFromDamagedWeights) {
  const TinyTarget target;
  const LlamaConfig config = feature_config(target.config(), 1);
  const std::string folder = target.folder() + "/first";
  FeatureTransformerModel model = written_model(target, config, folder);
  Parameters& parameters = model.parameters();
  parameters.all().back().value.fill_(std::numeric_limits<float>::quiet_NaN());
  write_drafter(parameters, {"tokens\n", {}}, folder, [](const std::string&) {});
  EXPECT_THROW(read_parameters(folder, parameters), ModelFileError);
  FeatureTransformerModel wider(feature_config(target.config(), 2), as_tensor(target.embedding(), config.hidden_size), 5);
  EXPECT_THROW(read_parameters(folder, wider.parameters()), ModelFileError) << "a layer is missing";
}

/// As many values in another order are another matrix.
TEST(FeatureTransformerFolder, IsRefusedWithATransposedMatrix) {
  const TinyTarget target;
  const LlamaConfig config = feature_config(target.config(), 1);
  const std::string folder = target.folder() + "/drafter";
  FeatureTransformerModel model = written_model(target, config, folder);
  for (auto& parameter : model.parameters().all())
    if (parameter.name == "model.fusion.weight") parameter.value = parameter.value.detach().t().contiguous();
  write_drafter(model.parameters(), {"tokens\n", {}}, folder, [&](const std::string& path) { write_feature_transformer_config({config, target.folder(), target.sha256()}, path); });
  EXPECT_THROW(open_model(folder).weights->read(LlamaTensor::fusion, 0), ModelFileError);
}

/// The objective as it is written in feature_transformer_task.h, of whole tensors and by autograd.
at::Tensor written_objective(const FeatureTransformerModel& model, const FeatureBatch& batch, const at::Tensor& head, const FeatureTransformerOptions& options) {
  const at::Tensor law = at::exp(at::matmul(batch.next_hidden, head.t()) - batch.log_partitions.unsqueeze(1));
  const auto states = model.unrolled(batch.input, options.unrolled_steps);
  at::Tensor sum = at::zeros({});
  double weight = 1;
  for (std::size_t step = 0; step < states.size(); ++step, weight *= options.step_weight) {
    const at::Tensor state = states[step].reshape({-1, states[step].size(-1)}).index_select(0, batch.rows);
    const at::Tensor cross_entropy = -(law * at::log_softmax(at::matmul(state, head.t()), 1)).sum(1);
    const at::Tensor distance = (state - batch.next_hidden).pow(2).sum(1) / batch.next_hidden.pow(2).sum(1);
    const at::Tensor reached = (batch.row_numbers >= static_cast<std::int64_t>(step)).to(at::kFloat);
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
  const LlamaConfig config = feature_config(target.config(), 1);
  TrainOptions options;
  options.feature_transformer = {.unrolled_steps = 3, .step_weight = 0.7, .feature_weight = 0.3};
  options.schedule = {.seed = 9, .dtype = "float32"};
  auto texts = target.texts(5, 20);
  for (std::size_t i = 0; i < texts.size(); ++i) make_prompt(texts[i], std::vector<std::int32_t>{1, 6, 15, 3, 20}[i]);
  texts[1].tokens.resize(12), texts[1].laws.resize(6), texts[1].hidden.resize(11 * texts[1].hidden.size() / 20);
  std::vector<const OwnText*> pointers;
  for (const OwnText& text : texts) pointers.push_back(&text);
  const auto task = feature_transformer_task(config, target.feature_target(), options);
  task->backward(pointers);
  const at::Tensor table = as_tensor(target.embedding(), config.hidden_size);
  const at::Tensor head = table.index_select(0, at::tensor(std::vector<std::int64_t>(config.draft_vocabulary.begin(), config.draft_vocabulary.end())));
  FeatureTransformerModel model(config, table, 9);
  written_objective(model, make_feature_batch(pointers, config.hidden_size, 1000), head, options.feature_transformer).backward();
  for (std::size_t i = 0; i < model.parameters().all().size(); ++i) {
    const at::Tensor expected = model.parameters().all()[i].value.grad(), found = task->parameters().all()[i].value.grad();
    const double scale = expected.abs().max().item<double>();
    EXPECT_GT(scale, 0) << model.parameters().all()[i].name;
    EXPECT_LT((found - expected).abs().max().item<double>(), 1e-4 * scale) << model.parameters().all()[i].name;
  }
}

struct Stopped {};

TEST(FeatureTransformerTrainer, GoesOnToTheSameBitsAfterItWasStopped) {
  const TinyTarget target;
  const auto texts = target.texts(72, 24);
  const auto train = [&](const std::string& folder, int stop_after) {
    int calls = 0;
    const TrainCallbacks callbacks{[](const TrainProgress&) {}, [&] {
                                     if (++calls == stop_after) throw Stopped();
                                   }};
    train_feature_transformer(texts, target.feature_target(), train_options(folder), callbacks);
    return read_file(folder + "/model.safetensors") + read_file(folder + "/training.csv");
  };
  const std::string whole = train(target.folder() + "/whole", -1);
  const std::string folder = target.folder() + "/stopped";
  for (const int stop_after : {20, 41}) EXPECT_THROW(train(folder, stop_after), Stopped);
  EXPECT_FALSE(std::filesystem::exists(folder + "/model.safetensors"));
  EXPECT_EQ(train(folder, -1), whole);
  EXPECT_FALSE(std::filesystem::exists(folder + "/checkpoint.bin"));
}

TEST(FeatureTransformerTrainer, LosesNothingWhenTheDiskIsFullAtTheEnd) {
  const TinyTarget target;
  const auto texts = target.texts(72, 24);
  const auto train = [&](const std::string& folder) { train_feature_transformer(texts, target.feature_target(), train_options(folder), {[](const TrainProgress&) {}}); };
  const std::string whole = target.folder() + "/whole", full = target.folder() + "/full";
  train(whole);
  make_folder(full + "/model.safetensors.part");  // what the weights would be written through
  EXPECT_THROW(train(full), WriteError);
  EXPECT_TRUE(std::filesystem::exists(full + "/checkpoint.bin"));
  EXPECT_FALSE(std::filesystem::exists(full + "/config.json"));
  std::filesystem::remove(full + "/model.safetensors.part");
  train(full);
  EXPECT_EQ(read_file(full + "/model.safetensors"), read_file(whole + "/model.safetensors"));
  EXPECT_FALSE(std::filesystem::exists(full + "/checkpoint.bin"));
}

TEST(FeatureTransformerTrainer, RefusesADamagedCheckpoint) {
  const TinyTarget target;
  const TrainOptions options = train_options(target.folder() + "/damaged");
  EXPECT_THROW(train_feature_transformer(target.texts(72, 24), target.feature_target(), options, {[](const TrainProgress&) {}, [] { throw Stopped(); }}), Stopped);
  std::string bytes = read_file(options.output + "/checkpoint.bin");
  bytes[bytes.size() / 2] ^= 1;
  write_file(options.output + "/checkpoint.bin", bytes);
  EXPECT_THROW(train_feature_transformer(target.texts(72, 24), target.feature_target(), options, {[](const TrainProgress&) {}}), DataError);
}

TEST(FeatureBatch, TakesPromptsOfAnyLength) {
  for (const std::int32_t prompt_length : {1, 2, 3}) {
    OwnText text{prompt_length, 1.0f, {4, 5, 6, 7, 8}, std::vector<TopLaw>(static_cast<std::size_t>(5 - prompt_length)), std::vector<std::uint16_t>(4 * 16)};
    for (std::size_t i = 0; i < text.laws.size(); ++i) text.laws[i].tokens[0] = text.tokens[static_cast<std::size_t>(prompt_length) + i];
    const FeatureBatch batch = make_feature_batch(std::vector<const OwnText*>{&text}, 16, 1);
    const std::int64_t first = std::max(0, prompt_length - 2);
    ASSERT_EQ(batch.rows.size(0), 3 - first) << prompt_length;
    for (std::int64_t i = 0; i < batch.rows.size(0); ++i) {
      EXPECT_EQ(batch.row_numbers[i].item<std::int64_t>(), first + i);
      EXPECT_EQ(batch.top_tokens[i].item<std::int64_t>(), text.tokens[static_cast<std::size_t>(first + i + 2)]) << "row j speaks of token j + 2";
    }
  }
}

TEST(FeatureBatch, QueriesFromBeforeTheFirstEmittedTokenOn) {
  const auto text_of = [](std::int32_t prompt_length, std::int32_t size) {
    return OwnText{prompt_length, 1.0f, std::vector<Token>(static_cast<std::size_t>(size), 3), std::vector<TopLaw>(static_cast<std::size_t>(size - prompt_length)),
                   std::vector<std::uint16_t>(static_cast<std::size_t>(size - 1) * 16)};
  };
  const OwnText early = text_of(1, 5), late = text_of(9, 12);
  const FeatureBatch batch = make_feature_batch(std::vector<const OwnText*>{&early, &late}, 16, 2);
  const auto values = [](const at::Tensor& tensor) { return std::vector<std::int64_t>(tensor.const_data_ptr<std::int64_t>(), tensor.const_data_ptr<std::int64_t>() + tensor.numel()); };
  EXPECT_EQ(values(batch.input.queried), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(values(batch.rows), (std::vector<std::int64_t>{0, 1, 2, 6 + 2, 6 + 3, 6 + 4}));
  EXPECT_EQ(values(batch.row_numbers), (std::vector<std::int64_t>{0, 1, 2, 7, 8, 9}));
}

TEST(FeatureTransformerTrainer, RefusesACheckpointOfAnotherTraining) {
  const TinyTarget target;
  TrainOptions options = train_options(target.folder() + "/other");
  EXPECT_THROW(train_feature_transformer(target.texts(72, 24), target.feature_target(), options, {[](const TrainProgress&) {}, [] { throw Stopped(); }}), Stopped);
  options.schedule.learning_rate = 1e-3;
  EXPECT_THROW(train_feature_transformer(target.texts(72, 24), target.feature_target(), options, {[](const TrainProgress&) {}}), DataError);
}

}  // namespace
}  // namespace speclab::engines
