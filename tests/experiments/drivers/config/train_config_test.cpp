#include "experiments/drivers/config/train_config.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::experiments {
namespace {

constexpr const char* kPrompts =
    "templates = [\"Tell {topic}.\", \"Sum up: {passage}\"]\ntopics = [\"tea\", "
    "\"rain\"]\npassages = [\"P.\"]\n";

TEST(TrainConfig, FillsTemplatesWithTopicsAndPassages) {
  const testing::TemporaryFolder folder;
  folder.file("prompts.toml", kPrompts);
  const TrainConfig config =
      read_train_config(folder.file("train.toml",
                                    "[own_text]\nprompts = \"prompts.toml\"\nnum_prompts = "
                                    "4\n[drafter]\nkind = \"ngram\"\norder = 2\noutput = \"x\"\n"));
  EXPECT_EQ(config.options.drafter, "ngram");
  EXPECT_EQ(config.options.ngram.order, 2);
  EXPECT_EQ(config.prompts.size(), 4u);
  EXPECT_EQ(config.prompts[1], "Sum up: P.");
  EXPECT_NE(config.prompts[0], config.prompts[2]);
}

TEST(TrainConfig, FillsASlotWhereverItStandsAndKnowsItsSlots) {
  const testing::TemporaryFolder folder;
  const std::string config =
      "[own_text]\nprompts = \"prompts.toml\"\nnum_prompts = 1\n[drafter]\nkind = "
      "\"ngram\"\noutput = \"x\"\n";
  folder.file("prompts.toml",
              "templates = [\"{topic} and {topic}, {x1} {}\"]\ntopics = [\"a {topic}\"]\n");
  EXPECT_EQ(read_train_config(folder.file("train.toml", config)).prompts[0],
            "a {topic} and a {topic}, {x1} {}");
  folder.file("prompts.toml", "templates = [\"Tell of {topik}.\"]\ntopics = [\"tea\"]\n");
  EXPECT_THROW(read_train_config(folder.path() + "/train.toml"), ConfigError);
}

TEST(TrainConfig, RefusesMistakesWithLineAndColumn) {
  const testing::TemporaryFolder folder;
  const std::pair<const char*, const char*> mistakes[] = {
      {"[drafter]\nepochz = 3\n", ":2:1: "},
      {"[drafter]\nepochs = 0\n", ":2:10: "},
      {"[drafted]\n", ":1:2: "},
      {"[drafter]\nkind = \"bigram\"\n",
       ":2:8: drafter.kind = \"bigram\"; allowed: ngram, small_transformer, feature_transformer, "
       "mlp_speculator"},
      {"[drafter]\nkind = \"mlp_speculator\"\ninner_size = 100\n",
       ":3:14: drafter.inner_size = 100; allowed: multiples of 16"},
      {"[drafter]\nkind = \"mlp_speculator\"\nloss = \"kl\"\n",
       ":3:8: drafter.loss = \"kl\"; allowed: tokens, forward_kl, reverse_kl, total_variation"},
      {"[drafter]\nkind = \"ngram\"\norder = 6\n", ":3:9: drafter.order = 6"},
      {"[text]\nfile = \"a\"\n", ":2:1: "},
      {"[text]\nsequence_length = 64\n[drafter]\nkind = \"ngram\"\noutput = \"x\"\n",
       ":2:19: text.sequence_length = 64; allowed: with drafter.kind feature_transformer, "
       "mlp_speculator, language_model only"},
      {"[drafter]\nlearning_rate = 0.0\n", ":2:17: drafter.learning_rate"},
      {"[drafter]\nhidden_size = 100\nnum_heads = 5\n",
       ":2:15: drafter.hidden_size = 100; allowed: multiples of 16"},
      {"[drafter]\nintermediate_size = 8\n", ":2:21: drafter.intermediate_size"},
      {"[drafter]\nnum_heads = 3\n",
       ":2:13: drafter.num_heads = 3; allowed: divisors of hidden_size = 160"},
      {"[drafter]\nkind = \"ngram\"\n", "drafter.output is missing"},
      {"[drafter]\nkind = \"ngram\"\nhidden_size = 160\n", ":3:1: "},
      {"[drafter]\nkind = \"small_transformer\"\nmax_successors = 3\n", ":3:1: "},
      {"[own_text]\ntemperatures = [0.0, 1e-4]\n",
       ":2:22: own_text.temperatures = 0.0001; allowed: 0, or numbers from 0.001"},
      {"[target]\ndtype = \"int4\"\n", ":2:9: target.dtype"},
      {"[target]\nchat_template = \"on\"\n",
       ":2:17: target.chat_template = \"on\"; allowed: auto, off"}};
  for (const auto& [text, message] : mistakes) {
    try {
      read_train_config(folder.file("train.toml", text));
      ADD_FAILURE() << "accepted " << text;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  }
}

TEST(TrainConfig, RefusesFoldersWithoutAName) {
  const testing::TemporaryFolder folder;
  for (const std::string key : {"start_from", "vocabulary_from"}) {
    const std::string path = folder.file(
        "train.toml",
        "[target]\nmodel = \"m\"\n[drafter]\nkind = \"mlp_speculator\"\noutput = \"o\"\n" + key +
            " = \"\"\n");
    try {
      read_train_config(path);
      ADD_FAILURE() << key << " was accepted";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("drafter." + key + " = \"\"; allowed: a folder"),
                std::string::npos)
          << error.what();
    }
  }
}

TEST(TrainConfig, TellsAllMistakesAndNoneThatOnlyAWrongKindMakes) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("train.toml",
                                       "[own_text]\nnum_prompts = 0\n[drafter]\nkind = "
                                       "\"ngrams\"\norder = 5\nodrer = 5\noutput = 1\n");
  try {
    read_train_config(path);
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    for (const char* place :
         {":2:15: own_text.num_prompts = 0", "\n", ":4:8: drafter.kind = \"ngrams\"",
          ":6:1: unknown key drafter.odrer", "did you mean order?", ":7:10: drafter.output = 1"})
      EXPECT_NE(message.find(place), std::string::npos) << place << message;
    EXPECT_EQ(message.find(":5:"), std::string::npos) << message;
  }
}

TEST(TrainConfig, TakesTextFilesBesideItselfAndThenNeedsNoOwnText) {
  const testing::TemporaryFolder folder;
  const TrainConfig config =
      read_train_config(folder.file("train.toml",
                                    "[text]\nfiles = [\"a.txt\", \"b.txt\"]\nheld_out_files = "
                                    "\"c.txt\"\n[drafter]\nkind = \"ngram\"\noutput = \"x\"\n"));
  EXPECT_EQ(config.options.text.files,
            (std::vector<std::string>{folder.path() + "/a.txt", folder.path() + "/b.txt"}));
  EXPECT_EQ(config.options.text.held_out_files, std::vector<std::string>{folder.path() + "/c.txt"});
  EXPECT_TRUE(config.prompts.empty());
}

TEST(TrainConfig, TakesSettingsOverTheFile) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file(
      "train.toml",
      "[text]\nfiles = [\"a.txt\"]\n[drafter]\nkind = \"ngram\"\norder = 5\noutput = \"x\"\n");
  EXPECT_EQ(read_train_config(path, {"drafter.order=2"}).options.ngram.order, 2);
  EXPECT_EQ(read_train_config(path, {"drafter.order=2"}, "y").options.output, "y");
  EXPECT_THROW(read_train_config(path, {"drafter.order=9"}), ConfigError);
  EXPECT_THROW(read_train_config(path, {"drafter.odrer=2"}), ConfigError);
}

/// Defect: the drafter of another target replaced that of the config's own.
TEST(TrainConfig, AnotherTargetNeedsAnotherFolder) {
  const testing::TemporaryFolder folder;
  folder.file("prompts.toml", kPrompts);
  const std::string path = folder.file(
      "train.toml",
      "[target]\nmodel = \"a\"\n[own_text]\nprompts = \"prompts.toml\"\n[drafter]\nkind = "
      "\"ngram\"\noutput = \"x\"\n");
  EXPECT_THROW(read_train_config(path, {"target.model=b"}), ConfigError);
  EXPECT_NO_THROW(read_train_config(path, {"target.model=a"}));
  EXPECT_NO_THROW(read_train_config(path, {"target.model=b"}, "y"));
  EXPECT_NO_THROW(read_train_config(path, {"target.model=b", "drafter.output=y"}));
}

TEST(TrainConfig, EveryTrainingOfTheProjectIsAccepted) {
  for (const char* name :
       {"train_smollm2_5gram", "train_smollm2_bigram", "train_smollm2_drafter",
        "train_smollm2_feature", "train_smollm2_mlp", "train_smollm2_unigram", "train_mlp_prose",
        "train_mlp_code", "train_mlp_stage_2", "train_closed_world", "train_smollm2_feature_gpu"})
    EXPECT_NO_THROW(
        read_train_config(std::string(SPECLAB_SOURCE_DIR "/experiments/configs/") + name + ".toml"))
        << name;
}

}  // namespace
}  // namespace speclab::experiments
