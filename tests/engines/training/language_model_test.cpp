#include "engines/training/train_drafter.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engines/families/catalogue.h"
#include "engines/training/manifest.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::engines {
namespace {

class LanguageModelTraining : public ::testing::Test {
 protected:
  LanguageModelTraining() {
    std::filesystem::remove_all(folder_);
    make_folder(folder_);
    options_.drafter = "language_model";
    options_.output = folder_ + "/model";
    options_.text = {.files = {text_file("training.txt", 60)},
                     .held_out_files = {text_file("held_out.txt", 10)},
                     .sequence_length = 32};
    options_.small_transformer = {
        .hidden_size = 32, .num_layers = 1, .num_heads = 2, .intermediate_size = 64};
    options_.schedule = {.batch = 4,
                         .optimiser = "muon",
                         .learning_rate = 5e-3,
                         .epochs = 3,
                         .validation_sequences = 4,
                         .seed = 1,
                         .dtype = "float32"};
  }

  /// The same sentence again and again, which is soon learned.
  std::string text_file(const std::string& name, int sentences) const {
    std::string text;
    for (int i = 0; i < sentences; ++i) text += "The quick brown fox jumps over the lazy dog.\n";
    write_file(folder_ + "/" + name, text);
    return folder_ + "/" + name;
  }

  const std::string folder_ = ::testing::TempDir() + "/language_model_training";
  TrainOptions options_;
};

TEST_F(LanguageModelTraining, LearnsItsTextAndSaysHowWell) {
  std::vector<TrainProgress> reports;
  train_language_model(options_, {[&](const TrainProgress& progress) {
                         if (progress.phase == "train") reports.push_back(progress);
                       }});
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports.back().acceptance_name, "next_token_probability");
  EXPECT_GT(*reports.back().acceptance_rate, 0.2) << "of the text's next byte, 1/257 before";
  const auto manifest = nlohmann::json::parse(read_file(options_.output + "/manifest.json"));
  EXPECT_EQ(manifest.at("kind"), "language_model");
  EXPECT_FALSE(manifest.contains("target")) << "it has none";
  // The report and the manifest each evaluate the model in batches of their own, in float32.
  constexpr double kRounding = 1e-6;
  const double held_out = manifest.at("held_out")[0].at("next_token_probability");
  EXPECT_NEAR(held_out, *reports.back().acceptance_rate, kRounding);
  EXPECT_NEAR(read_training_record(options_.output)->held_out_acceptance, held_out, kRounding);
}

TEST_F(LanguageModelTraining, LeavesAModelThatOpensWithItsTokenizer) {
  train_language_model(options_, {[](const TrainProgress&) {}});
  const ModelSource source = open_model(options_.output);
  EXPECT_EQ(source.config.num_layers, 1);
  ASSERT_TRUE(source.tokenizer);
  EXPECT_EQ(source.tokenizer->decode(source.tokenizer->encode("a \xC3\xA9\n", SpecialText::parsed)),
            "a \xC3\xA9\n");
}

TEST_F(LanguageModelTraining, LeavesNoTokenizerOfWhatIsNotTrained) {
  options_.schedule.batch = 100'000;
  EXPECT_THROW(train_language_model(options_, {[](const TrainProgress&) {}}), ConfigError);
  for (const char* name : {"/tokenizer.part", "/tokenizer.json", "/config.json"})
    EXPECT_FALSE(std::filesystem::exists(options_.output + name)) << name;
}

TEST_F(LanguageModelTraining, SaysWhenACheckpointIsOfALargerDrafter) {
  make_folder(options_.output);
  write_file(options_.output + "/checkpoint.bin", "speclab training 3\n");
  std::filesystem::resize_file(options_.output + "/checkpoint.bin",
                               std::uintmax_t{1} << 30);  // sparse
  try {
    train_language_model(options_, {[](const TrainProgress&) {}});
    FAIL() << "went on from it";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("it belongs to a larger drafter"), std::string::npos)
        << error.what();
  }
}

/// Defect: a training that is refused leaves an empty folder and its parents.
TEST_F(LanguageModelTraining, RefusesTextsShorterThanAStretch) {
  write_file(options_.text.files.front(), "too short");
  options_.output = folder_ + "/new/model";
  EXPECT_THROW(train_language_model(options_, {[](const TrainProgress&) {}}), Error);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/new"));
}

}  // namespace
}  // namespace speclab::engines
