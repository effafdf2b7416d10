// Training on synthetic text with a known law, and the way of the weights through the checkpoint
// folder.

#include "engines/training/torch/small_transformer_trainer.h"
#include "engines/families/json_shape.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <tuple>

#include "engines/cpu/decoder_cpu.h"
#include "engines/families/family.h"
#include "engines/formats/checkpoint_folder.h"
#include "engines/models/decoder_weights.h"
#include "engines/training/torch/drafter_folder.h"
#include "engines/training/torch/small_transformer_model.h"
#include "sim/core/rng_stream.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::engines {
namespace {

constexpr std::int32_t kVocab = 64;

/// Every token is followed by its double plus one (probability 0.75) or by token 5: a law a small
/// model can learn.
OwnText synthetic_text(std::uint32_t sequence) {
  const RngStream stream(3);
  OwnText text{2,
               1.0f,
               {static_cast<Token>(sequence % kVocab), static_cast<Token>((sequence * 7) % kVocab)},
               {},
               {}};
  for (std::uint32_t i = 0; i < 30; ++i) {
    const Token follower = (2 * text.tokens.back() + 1) % kVocab;
    TopLaw law{};
    for (std::size_t k = 0; k < TopLaw::kSize; ++k)
      law.tokens[k] = static_cast<Token>((follower + static_cast<Token>(k)) % kVocab);
    law.probabilities[0] = 0.75f;
    text.tokens.push_back(stream.uniform({sequence, i, Purpose::train, 0}) < 0.75 ? follower : 5);
    text.laws.push_back(law);
  }
  return text;
}

std::vector<OwnText> synthetic_texts(std::uint32_t count) {
  std::vector<OwnText> texts;
  for (std::uint32_t i = 0; i < count; ++i) texts.push_back(synthetic_text(i));
  return texts;
}

TargetEmbedding random_embedding() {
  const RngStream stream(4);
  TargetEmbedding target{kVocab, 48, 128, {}, "tiny", "ab"};
  for (std::uint32_t i = 0; i < kVocab * 48; ++i)
    target.values.push_back(static_cast<float>(stream.uniform({i, 0, Purpose::weights, 0}) - 0.5));
  return target;
}

TrainOptions small_options(const std::string& folder) {
  TrainOptions options;
  options.small_transformer = {
      .hidden_size = 32, .num_layers = 2, .num_heads = 2, .intermediate_size = 64};
  options.schedule = {.learning_rate = 1e-2, .epochs = 40, .validation_sequences = 8};
  options.output = folder;
  return options;
}

std::string scratch_folder(const std::string& name) {
  const std::string folder = ::testing::TempDir() + "/" + name;
  std::filesystem::remove_all(folder);
  return folder;
}

TEST(SmallTransformerTrainer, LearnsALawAndReportsItsOverlap) {
  std::vector<TrainProgress> reports;
  train_small_transformer(synthetic_texts(136), random_embedding(),
                          small_options(scratch_folder("learned")),
                          {[&](const TrainProgress& p) { reports.push_back(p); }});
  ASSERT_GE(reports.size(), 3u);
  EXPECT_LT(reports.back().loss, reports.front().loss);
  EXPECT_GT(reports.back().acceptance_rate,
            0.65);  // the law's top token has 0.75, the rest lies outside the counted tokens
  EXPECT_GT(reports.back().greedy_agreement, 0.9);
}

/// Nearly all text is of a handful of tokens; two of them are not enough.
TEST(SmallTransformerTrainer, LearnsToDraftTheMostFrequentTokens) {
  for (const auto& [size, least, most] : {std::tuple{33, 0.65, 0.75}, {2, 0.1, 0.5}}) {
    const std::string folder = scratch_folder("drafts_some");
    TrainOptions options = small_options(folder);
    options.small_transformer.draft_vocabulary = size;
    TrainProgress last;
    train_small_transformer(synthetic_texts(136), random_embedding(), options,
                            {[&](const TrainProgress& p) { last = p; }});
    EXPECT_GT(last.acceptance_rate, least) << size;
    EXPECT_LT(last.acceptance_rate, most) << size;
    const std::vector<Token> drafted = shape_from_json(folder + "/config.json").draft_vocabulary;
    EXPECT_EQ(drafted.size(), static_cast<std::size_t>(size));
    EXPECT_TRUE(std::ranges::is_sorted(drafted)) << size;
    EXPECT_TRUE(std::ranges::binary_search(drafted, 11))
        << "it follows 5, which is drawn in a quarter of all places";
  }
}

/// What half of a training leaves, where it is stopped.
class StoppedTraining : public ::testing::Test {
 protected:
  struct Stopped {};

  static TrainOptions options_of(const std::string& name, std::int32_t draft_vocabulary) {
    TrainOptions options = small_options(scratch_folder(name));
    options.small_transformer.draft_vocabulary = draft_vocabulary;
    options.schedule.epochs = 8;
    return options;
  }
  static void train(const TrainOptions& options, const std::function<void()>& check = {}) {
    train_small_transformer(synthetic_texts(136), random_embedding(), options,
                            {[](const TrainProgress&) {}, check});
  }
  static void train_until_stopped(const TrainOptions& options) {
    int checks = 0;
    EXPECT_THROW(train(options,
                       [&] {
                         if (++checks == 3) throw Stopped();
                       }),
                 Stopped);
    ASSERT_TRUE(std::filesystem::exists(options.output + "/checkpoint.bin"));
  }
};

TEST_F(StoppedTraining, GoesOnToTheSameWeightsWithADraftVocabulary) {
  const TrainOptions whole = options_of("whole", 9), parted = options_of("parted", 9);
  train(whole);
  train_until_stopped(parted);
  train(parted);
  for (const char* file : {"/model.safetensors", "/config.json", "/training.csv"})
    EXPECT_EQ(read_file(parted.output + file), read_file(whole.output + file)) << file;
}

TEST_F(StoppedTraining, IsNotGoneOnWithForAnotherDraftVocabulary) {
  TrainOptions options = options_of("another", 9);
  train_until_stopped(options);
  for (const std::int32_t other : {0, 10}) {
    options.small_transformer.draft_vocabulary = other;
    EXPECT_THROW(train(options), DataError) << other;
  }
}

TEST_F(StoppedTraining, SaysWhatIsOtherThere) {
  TrainOptions options = options_of("differs", 9);
  options.config = {{"drafter.epochs", "8"}, {"drafter.seed", "1"}};
  train_until_stopped(options);
  const auto refusal = [&] {
    try {
      train(options);
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  options.schedule.epochs = 9;
  options.config[0].second = "9";
  EXPECT_NE(refusal().find("(settings that differ: drafter.epochs = 8 there, 9 here; texts and "
                           "folders may, too); delete it"),
            std::string::npos)
      << refusal();
  options.config[0].second = "8";
  options.config.emplace_back("drafter.new", "x");
  EXPECT_NE(refusal().find("(settings that differ: drafter.new = none there, x here;"),
            std::string::npos)
      << refusal();
  options.config.pop_back();
  EXPECT_NE(refusal().find("(all settings that are kept there are the same, so the texts"),
            std::string::npos)
      << refusal();
}

/// All tokens are what no list says.
TEST(SmallTransformerTrainer, TakesAListOfAllTokensForNone) {
  TrainOptions options = small_options(scratch_folder("all_tokens"));
  options.small_transformer.draft_vocabulary = kVocab;
  options.schedule.epochs = 1;
  train_small_transformer(synthetic_texts(136), random_embedding(), options,
                          {[](const TrainProgress&) {}});
  EXPECT_TRUE(shape_from_json(options.output + "/config.json").draft_vocabulary.empty());
}

TEST(SmallTransformerTrainer, RefusesTooLittleText) {
  EXPECT_THROW(train_small_transformer(synthetic_texts(12), random_embedding(),
                                       small_options(scratch_folder("little")),
                                       {[](const TrainProgress&) {}}),
               ConfigError);
}

TEST(SmallTransformerTrainer, SavesNothingWhenItDiverges) {
  TargetEmbedding damaged = random_embedding();
  damaged.values[7] = std::numeric_limits<float>::quiet_NaN();
  const std::string folder = scratch_folder("diverged");
  try {
    train_small_transformer(synthetic_texts(136), damaged, small_options(folder),
                            {[](const TrainProgress&) {}});
    FAIL() << "a drafter without numbers was trained";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("training diverged"), std::string::npos)
        << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(folder + "/model.safetensors"));
}

DecoderShape tiny_config() {
  DecoderShape config;
  config.vocab_size = kVocab;
  config.context_length = 64;
  config.num_layers = 2;
  config.hidden_size = 32;
  config.intermediate_size = 64;
  config.num_heads = config.num_kv_heads = 2;
  config.head_dim = 16;
  return config;
}

/// Logits after every token of a chain.
std::vector<float> engine_logits(const std::string& folder, const std::vector<Token>& tokens) {
  const auto file = std::make_shared<CheckpointFolder>(CheckpointFolder::open(folder));
  const DecoderShape config = shape_from_json(folder + "/config.json");
  cpu::DecoderCpu model(config, *decoder_weights_from_checkpoint(file, config),
                        cpu::ElementType::float32, std::make_shared<cpu::ThreadTeam>(1));
  const auto cache = model.make_cache(1, 64);
  const std::int32_t slot = cache->begin();
  std::vector<ForwardRow> rows;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(tokens.size()); ++i)
    rows.push_back({tokens[static_cast<std::size_t>(i)], i, slot, i - 1});
  const ForwardResult result = model.forward(rows, *cache);
  return {result.logits.begin(), result.logits.end()};
}

void write_folder(const SmallTransformerModel& model, const std::string& folder) {
  make_folder(folder);
  write_drafter(model.parameters(), {"tokens\n", {}}, folder, [&](const std::string& path) {
    write_llama_config_json(model.config(), path, "bfloat16");
  });
}

TEST(CheckpointFolder, WithMoreLayersThanItsConfigurationSaysIsRefused) {
  SmallTransformerModel model(tiny_config(), at::randn({kVocab, 32}), 1);
  const std::string folder = scratch_folder("deeper");
  write_folder(model, folder);
  std::string text = read_file(folder + "/config.json");
  const std::string field = "\"num_hidden_layers\"";
  const std::size_t at = text.find('2', text.find(field));
  text[at] = '1';
  write_file(folder + "/config.json", text);
  const auto file = std::make_shared<speclab::engines::CheckpointFolder>(
      speclab::engines::CheckpointFolder::open(folder));
  EXPECT_THROW(decoder_weights_from_checkpoint(file, shape_from_json(folder + "/config.json")),
               ModelFileError);
}

class SmallTransformerModelLogits : public ::testing::TestWithParam<std::vector<Token>> {};

INSTANTIATE_TEST_SUITE_P(DraftVocabulary, SmallTransformerModelLogits,
                         ::testing::Values(std::vector<Token>{},
                                           std::vector<Token>{0, 3, 4, 17, 33, 62, 63}));

TEST_P(SmallTransformerModelLogits, AreTheEnginesThroughItsCheckpointFolder) {
  DecoderShape config = tiny_config();
  config.draft_vocabulary = GetParam();
  SmallTransformerModel model(config, at::randn({kVocab, 32}), 1);
  for (auto& parameter : model.parameters().all())
    parameter.value = parameter.value.detach().to(at::kBFloat16).to(at::kFloat);
  const std::string folder = scratch_folder("folder");
  write_folder(model, folder);
  const std::vector<Token> tokens{3, 9, 27, 17, 51, 25, 11, 33};
  const at::Tensor input =
      at::tensor(std::vector<std::int64_t>(tokens.begin(), tokens.end())).unsqueeze(0);
  const at::Tensor expected =
      at::matmul(model.hidden(input).squeeze(0), model.head().t()).contiguous();
  const std::vector<float> logits = engine_logits(folder, tokens);
  ASSERT_EQ(logits.size(), static_cast<std::size_t>(expected.numel()));
  for (std::size_t i = 0; i < logits.size(); ++i)
    ASSERT_NEAR(logits[i], expected.const_data_ptr<float>()[i], 2e-5) << "element " << i;
}

}  // namespace
}  // namespace speclab::engines
