#include "experiments/drivers/commands/train_config.h"

#include <gtest/gtest.h>

#include "sim/core/errors.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::experiments {
namespace {

constexpr const char* kPrompts = "templates = [\"Tell {topic}.\", \"Sum up: {passage}\"]\ntopics = [\"tea\", \"rain\"]\npassages = [\"P.\"]\n";

TEST(TrainConfig, FillsTemplatesWithTopicsAndPassages) {
  const testing::TemporaryFolder folder;
  folder.file("prompts.toml", kPrompts);
  const TrainConfig config = read_train_config(folder.file("train.toml", "[own_text]\nprompts = \"prompts.toml\"\nnum_prompts = 4\n[drafter]\nkind = \"bigram\"\n"));
  EXPECT_EQ(config.options.drafter, "bigram");
  EXPECT_EQ(config.prompts.size(), 4u);
  EXPECT_EQ(config.prompts[1], "Sum up: P.");
  EXPECT_NE(config.prompts[0], config.prompts[2]);
}

TEST(TrainConfig, RefusesMistakesWithLineAndColumn) {
  const testing::TemporaryFolder folder;
  for (const auto& [text, position] : {std::pair("[drafter]\nepochz = 3\n", ":2:1: "), std::pair("[drafter]\nepochs = 0\n", ":2:10: "), std::pair("[drafted]\n", ":1:2: ")}) {
    try {
      read_train_config(folder.file("train.toml", text));
      ADD_FAILURE() << "accepted " << text;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(position), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace speclab::experiments
