// Training of a drafter that reads hidden states: what it learns, writes, goes on from and refuses.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engines/families/catalogue.h"
#include "engines/families/feature_transformer.h"
#include "engines/training/torch/drafter_folder.h"
#include "engines/training/torch/feature_transformer_trainer.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/sha256.h"
#include "tests/engines/training/feature_drafter.h"

namespace speclab::engines {
namespace {

using testing::as_tensor;
using testing::feature_config;
using testing::TinyTarget;
using testing::train_options;
using testing::written_model;

struct Reading {
  const char* dtype;
  bool reads_layers;
};

class FeatureTransformerReading : public ::testing::TestWithParam<Reading> {};

TEST_P(FeatureTransformerReading, LearnsTheTargetsLaw) {
  const TinyTarget target(GetParam().reads_layers ? 3 : 1);
  std::vector<TrainProgress> reports;
  TrainOptions options = train_options(target.folder() + "/learned");
  options.schedule.epochs = 4;
  options.schedule.dtype = GetParam().dtype;
  options.feature_transformer.reads_layers = GetParam().reads_layers;
  train_feature_transformer(target.texts(640, 30), target.feature_target(), options,
                            {[&](const TrainProgress& p) { reports.push_back(p); }});
  ASSERT_GE(reports.size(), 2u);
  EXPECT_LT(reports.back().loss, reports.front().loss);
  EXPECT_GT(reports.back().acceptance_rate.value(), reports.front().acceptance_rate.value());
  EXPECT_NO_THROW(open_model(target.folder() + "/learned"));
  EXPECT_EQ(
      num_features(read_feature_transformer_config(target.folder() + "/learned/config.json").shape),
      GetParam().reads_layers ? 3 : 1);
}

INSTANTIATE_TEST_SUITE_P(, FeatureTransformerReading,
                         ::testing::Values(Reading{"float32", false}, Reading{"bfloat16", false},
                                           Reading{"bfloat16", true}));

TEST(FeatureTransformerTrainer, GoesOnFromWhatReadsAsManyLayersOnly) {
  const TinyTarget target(3);
  TrainOptions options = train_options(target.folder() + "/first");
  options.feature_transformer.reads_layers = true;
  options.schedule.epochs = 1;
  train_feature_transformer(target.texts(72, 24), target.feature_target(), options,
                            {[](const TrainProgress&) {}});
  options.distillation.start_from = target.folder() + "/first";
  EXPECT_NO_THROW(check_feature_transformer_start(options, target.sha256()));
  options.feature_transformer.reads_layers = false;
  EXPECT_THROW(check_feature_transformer_start(options, target.sha256()), ConfigError);
}

TEST(FeatureTransformerTrainer, WritesWhatItWasMadeOfIntoItsManifest) {
  const TinyTarget target;
  const auto texts = target.texts(72, 24);
  TrainOptions options = train_options(target.folder() + "/first");
  options.schedule.dtype = "bfloat16";
  train_feature_transformer(texts, target.feature_target(), options, {[](const TrainProgress&) {}});
  options.distillation.start_from = options.output;
  options.output = target.folder() + "/second";
  train_feature_transformer(texts, target.feature_target(), options, {[](const TrainProgress&) {}});
  const auto first = nlohmann::json::parse(read_file(target.folder() + "/first/manifest.json")),
             second = nlohmann::json::parse(read_file(options.output + "/manifest.json"));
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
    TrainOptions options =
        train_options(target.folder() + (start_from.empty() ? "/first" : "/second"));
    options.schedule.epochs = 4;
    options.distillation.start_from = start_from;
    train_feature_transformer(start_from.empty() ? texts : fewer, target.feature_target(), options,
                              {[&](const TrainProgress& p) { reports.push_back(p); }});
    return reports.front().loss;
  };
  const double from_random = first_loss("");
  EXPECT_LT(first_loss(target.folder() + "/first"), from_random - 0.05);
  EXPECT_EQ(read_feature_transformer_config(target.folder() + "/first/config.json")
                .shape.draft_vocabulary,
            read_feature_transformer_config(target.folder() + "/second/config.json")
                .shape.draft_vocabulary);
}

TEST(FeatureTransformerTrainer, GoesOnOnlyFromItsOwnShapeAndTarget) {
  const TinyTarget target;
  const auto texts = target.texts(72, 24);
  const std::string first = target.folder() + "/first";
  train_feature_transformer(texts, target.feature_target(), train_options(first),
                            {[](const TrainProgress&) {}});
  TrainOptions options = train_options(target.folder() + "/second");
  options.distillation.start_from = first;
  options.feature_transformer.intermediate_size = 80;
  EXPECT_THROW(train_feature_transformer(texts, target.feature_target(), options,
                                         {[](const TrainProgress&) {}}),
               ConfigError);
  options.feature_transformer.intermediate_size = 64;
  FeatureTarget other = target.feature_target();
  other.sha256 = std::string(64, 'b');
  EXPECT_THROW(train_feature_transformer(texts, other, options, {[](const TrainProgress&) {}}),
               ConfigError);
  for (const std::string& folder : {target.folder() + "/nowhere", target.folder()}) {
    options.distillation.start_from = folder;
    EXPECT_THROW(check_feature_transformer_start(options, target.sha256()), ConfigError) << folder;
  }
}

TEST(FeatureTransformerTrainer, DoesNotGoOnFromWeightsWithAFlippedBit) {
  const TinyTarget target;
  const std::string first = target.folder() + "/first";
  train_feature_transformer(target.texts(72, 24), target.feature_target(), train_options(first),
                            {[](const TrainProgress&) {}});
  TrainOptions options = train_options(target.folder() + "/second");
  options.distillation.start_from = first;
  EXPECT_NO_THROW(check_feature_transformer_start(options, target.sha256()));
  std::string weights = read_file(first + "/model.safetensors");
  weights.back() = static_cast<char>(weights.back() ^ 1);
  write_file(first + "/model.safetensors", weights);
  EXPECT_THROW(check_feature_transformer_start(options, target.sha256()), ModelFileError);
}

TEST(FeatureTransformerTrainer, DoesNotGoOnFromDamagedWeights) {
  const TinyTarget target;
  const DecoderShape config = feature_config(target.config(), 1);
  const std::string folder = target.folder() + "/first";
  FeatureTransformerModel model = written_model(target, config, folder);
  Parameters& parameters = model.parameters();
  parameters.all().back().value.fill_(std::numeric_limits<float>::quiet_NaN());
  write_drafter(parameters, {"tokens\n", {}}, folder, [](const std::string&) {});
  EXPECT_THROW(read_parameters(folder, parameters), ModelFileError);
  FeatureTransformerModel wider(feature_config(target.config(), 2),
                                as_tensor(target.embedding(), config.hidden_size), 5);
  EXPECT_THROW(read_parameters(folder, wider.parameters()), ModelFileError) << "a layer is missing";
}

struct StoppedFeature {};

class FeatureTraining : public ::testing::TestWithParam<const char*> {};

TEST_P(FeatureTraining, GoesOnToTheSameBitsAfterItWasStopped) {
  const TinyTarget target;
  const auto texts = target.texts(72, 24);
  const auto train = [&](const std::string& folder, int stop_after) {
    int calls = 0;
    const TrainCallbacks callbacks{[](const TrainProgress&) {},
                                   [&] {
                                     if (++calls == stop_after) throw StoppedFeature();
                                   }};
    TrainOptions options = train_options(folder);
    options.schedule.optimiser = GetParam();
    train_feature_transformer(texts, target.feature_target(), options, callbacks);
    return read_file(folder + "/model.safetensors") + read_file(folder + "/training.csv");
  };
  const std::string whole = train(target.folder() + "/whole", -1);
  const std::string folder = target.folder() + "/stopped";
  for (const int stop_after : {20, 41}) EXPECT_THROW(train(folder, stop_after), StoppedFeature);
  EXPECT_FALSE(std::filesystem::exists(folder + "/model.safetensors"));
  EXPECT_EQ(train(folder, -1), whole);
  EXPECT_FALSE(std::filesystem::exists(folder + "/checkpoint.bin"));
}

TEST(FeatureTransformerTrainer, NotesEveryProgramThatTookPart) {
  const TinyTarget target;
  const auto texts = target.texts(72, 24);
  TrainOptions options = train_options(target.folder() + "/two_programs");
  options.config = {{"drafter.seed", "1"}};
  int calls = 0;
  const auto train = [&](const std::string& revision, int stop_after) {
    options.provenance = {{"revision", revision}};
    train_feature_transformer(texts, target.feature_target(), options,
                              {[](const TrainProgress&) {},
                               [&] {
                                 if (++calls == stop_after) throw StoppedFeature();
                               }});
  };
  EXPECT_THROW(train("first", 20), StoppedFeature);
  EXPECT_THROW(train("first", 30), StoppedFeature);
  train("second", -1);
  const auto manifest = nlohmann::json::parse(read_file(options.output + "/manifest.json"));
  EXPECT_EQ(manifest.at("provenance").at("revision"), "second");
  ASSERT_EQ(manifest.at("earlier_provenance").size(), 1u);
  EXPECT_EQ(manifest.at("earlier_provenance").at(0).at("revision"), "first");
  EXPECT_EQ(manifest.at("config").at("drafter.seed"), "1");
}

INSTANTIATE_TEST_SUITE_P(Optimisers, FeatureTraining, ::testing::ValuesIn(kOptimisers));

TEST(FeatureTransformerTrainer, LosesNothingWhenTheDiskIsFullAtTheEnd) {
  const TinyTarget target;
  const auto texts = target.texts(72, 24);
  const auto train = [&](const std::string& folder) {
    train_feature_transformer(texts, target.feature_target(), train_options(folder),
                              {[](const TrainProgress&) {}});
  };
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
  EXPECT_THROW(
      train_feature_transformer(target.texts(72, 24), target.feature_target(), options,
                                {[](const TrainProgress&) {}, [] { throw StoppedFeature(); }}),
      StoppedFeature);
  std::string bytes = read_file(options.output + "/checkpoint.bin");
  bytes[bytes.size() / 2] ^= 1;
  write_file(options.output + "/checkpoint.bin", bytes);
  EXPECT_THROW(train_feature_transformer(target.texts(72, 24), target.feature_target(), options,
                                         {[](const TrainProgress&) {}}),
               DataError);
}

/// With the digest of what stands behind it, so that it is taken for a whole file.
void forge(const std::string& path, const std::string& content) {
  write_file(path, "speclab training 3\n" + sha256_text(content) + content);
}

TEST(FeatureTransformerTrainer, RefusesACheckpointThatIsNoneOfOurs) {
  const TinyTarget target;
  const TrainOptions options = train_options(target.folder() + "/forged");
  make_folder(options.output);
  for (const std::string content :
       {std::string(), std::string("PK\x03\x04"), std::string(1000, 'x')}) {
    forge(options.output + "/checkpoint.bin", content);
    EXPECT_THROW(train_feature_transformer(target.texts(72, 24), target.feature_target(), options,
                                           {[](const TrainProgress&) {}}),
                 DataError)
        << content.size();
  }
  std::filesystem::resize_file(options.output + "/checkpoint.bin",
                               std::uintmax_t{1} << 32);  // sparse
  EXPECT_THROW(train_feature_transformer(target.texts(72, 24), target.feature_target(), options,
                                         {[](const TrainProgress&) {}}),
               DataError);
}

TEST(FeatureTransformerTrainer, SaysThatACheckpointIsOfAnotherRevision) {
  const TinyTarget target;
  const TrainOptions options = train_options(target.folder() + "/older");
  make_folder(options.output);
  write_file(options.output + "/checkpoint.bin", "speclab training 2\n" + sha256_text("x") + "x");
  try {
    train_feature_transformer(target.texts(72, 24), target.feature_target(), options,
                              {[](const TrainProgress&) {}});
    FAIL() << "went on from it";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("made by another revision of speclab"),
              std::string::npos)
        << error.what();
  }
}

TEST(FeatureTransformerTrainer, NotesNamesThatAreNoUtf8) {
  const TinyTarget target;
  TrainOptions options = train_options(target.folder() + "/bytes");
  options.provenance = {{"revision", "\xff"}};
  train_feature_transformer(target.texts(72, 24), target.feature_target(), options,
                            {[](const TrainProgress&) {}});
  EXPECT_EQ(nlohmann::json::parse(read_file(options.output + "/manifest.json"))
                .at("provenance")
                .at("revision"),
            "\xEF\xBF\xBD");
}

TEST(FeatureTransformerTrainer, RefusesACheckpointOfAnotherTraining) {
  const TinyTarget target;
  TrainOptions options = train_options(target.folder() + "/other");
  EXPECT_THROW(
      train_feature_transformer(target.texts(72, 24), target.feature_target(), options,
                                {[](const TrainProgress&) {}, [] { throw StoppedFeature(); }}),
      StoppedFeature);
  options.schedule.learning_rate = 1e-3;
  EXPECT_THROW(train_feature_transformer(target.texts(72, 24), target.feature_target(), options,
                                         {[](const TrainProgress&) {}}),
               DataError);
}

}  // namespace
}  // namespace speclab::engines
