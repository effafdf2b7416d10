#include "engines/training/ngram_trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "engines/ngrams/ngram_file.h"
#include "sim/system/errors.h"
#include "tests/engines/decoding/letter_tokenizer.h"
#include "tests/engines/drafters/ngram_drafting.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/support/file_size_limit.h"

namespace speclab::engines {
namespace {

/// The alphabet again and again; the target is sure of the next letter.
OwnText alphabet(std::int32_t prompt_length, std::int32_t new_tokens) {
  OwnText text{prompt_length, 1.0f, {}, {}, {}};
  for (std::int32_t i = 0; i < prompt_length + new_tokens; ++i) {
    text.tokens.push_back(i % 26);
    if (i < prompt_length) continue;
    TopLaw& law = text.laws.emplace_back();
    for (std::size_t k = 0; k < TopLaw::kSize; ++k) {
      law.tokens[k] = static_cast<Token>((static_cast<std::size_t>(i) + k) % 26);
      law.probabilities[k] = k == 0 ? 1.0f : 0.0f;
    }
  }
  return text;
}

ModelInfo target() {
  ModelInfo info;
  info.name = "letters";
  info.vocab_size = 26;
  return info;
}

TrainOptions options_of(const std::string& output) {
  TrainOptions options;
  options.drafter = "ngram";
  options.output = output;
  options.ngram = {.order = 3, .validation_sequences = 1};
  options.own_text.prompts.assign(3, {0});
  return options;
}

struct Reports {
  std::vector<TrainProgress> all;
  TrainCallback callback = [this](const TrainProgress& progress) { all.push_back(progress); };
};

const std::vector<OwnText> kTexts{alphabet(2, 60), alphabet(5, 60), alphabet(9, 60)};

TEST(NgramTrainer, WritesWhatItCountedAndSaysHowGoodItIs) {
  const speclab::testing::TemporaryFolder folder;
  Reports reports;
  TrainOptions options = options_of(folder.path("model"));
  options.provenance = {{"revision", "abc"}};
  train_ngrams(target(), kTexts, {}, options, {reports.callback});
  const NgramModel model = load_ngrams(folder.path("model"));
  EXPECT_EQ(model.order(), 3);
  EXPECT_GT(model.probability(std::vector<Token>{3, 4}, 5), 0.5);
  ASSERT_EQ(reports.all.size(), 2u);
  EXPECT_EQ(reports.all[0].tokens, 120) << "the emitted tokens of the texts that are not held out";
  EXPECT_EQ(reports.all[1].tokens, 60);
  EXPECT_EQ(*reports.all[1].greedy_agreement, 1.0);
  EXPECT_GT(*reports.all[1].acceptance_rate, 0.5);
  const auto manifest = nlohmann::json::parse(read_file(folder.path("model/manifest.json")));
  EXPECT_EQ(manifest.at("tokens"), 120);
  EXPECT_EQ(manifest.at("ngrams"), model.num_ngrams());
  EXPECT_EQ(manifest.at("held_out").at(0).at("source"), "own text");
  EXPECT_EQ(manifest.at("provenance").at("revision"), "abc");
  EXPECT_FALSE(manifest.contains("earlier_provenance"));
}

TEST(NgramTrainer, TakesTextFilesAloneAndNamesWhatItHeldOut) {
  const speclab::testing::TemporaryFolder folder;
  TrainOptions options = options_of(folder.path("model"));
  options.own_text.prompts.clear();
  options.text = {{folder.file("a.txt", "abcabcabcabd")}, {folder.file("b.txt", "abcabc")}};
  Reports reports;
  train_ngrams(target(), {}, read_corpora(options.text, testing::LetterTokenizer(26), 5), options,
               {reports.callback});
  EXPECT_EQ(reports.all.back().source, folder.path("b.txt"));
  EXPECT_FALSE(reports.all.back().acceptance_rate) << "plain text has no laws of the target";
  const auto manifest = nlohmann::json::parse(read_file(folder.path("model/manifest.json")));
  EXPECT_EQ(manifest.at("text").at(0).at("file"), "a.txt");
  EXPECT_EQ(manifest.at("held_out").at(0).at("source"), "b.txt");
}

TEST(NgramTrainer, LeavesTheOldModelWhereTheDiskIsFull) {
  const speclab::testing::TemporaryFolder folder;
  Reports reports;
  train_ngrams(target(), kTexts, {}, options_of(folder.path("model")), {reports.callback});
  const std::string before = read_file(folder.path("model/ngram.bin"));
  TrainOptions larger = options_of(folder.path("model"));
  larger.ngram.order = 5;
  {
    const speclab::testing::FileSizeLimit limit(100);
    EXPECT_THROW(train_ngrams(target(), kTexts, {}, larger, {reports.callback}), WriteError);
  }
  EXPECT_EQ(read_file(folder.path("model/ngram.bin")), before);
  EXPECT_FALSE(std::filesystem::exists(folder.path("model/ngram.bin.part")));
}

TEST(HeldOutScore, IsThatOfTheDefinition) {
  const auto model = testing::ngrams_of({{0, 1, 2, 0, 1, 3}}, 26, {.order = 2});
  const std::vector<Token> text{1, 2};
  EXPECT_NEAR(held_out_score(*model, text).loss,
              -0.5 * (std::log(model->probability({}, 1)) +
                      std::log(model->probability(std::vector<Token>{1}, 2))),
              1e-12);
  OwnText own{1, 1.0f, {0, 1}, {TopLaw{}}, {}};
  own.laws[0].tokens[0] = 1;
  own.laws[0].probabilities[0] = 0.25f;
  const HeldOutScore score = held_out_score(model, std::vector<const OwnText*>{&own});
  EXPECT_NEAR(*score.acceptance_rate, 0.25, 1e-6) << "the target's 0.25 is less than the draft's";
  EXPECT_EQ(*score.greedy_agreement, 1.0);
}

}  // namespace
}  // namespace speclab::engines
