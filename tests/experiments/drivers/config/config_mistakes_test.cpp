// Mistakes that people make, each with the place where a reader would point.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "experiments/drivers/config/run_config.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/experiments/drivers/config/refusal.h"

namespace speclab::experiments {
namespace {

using testing::refusal;

struct Mistake {
  const char* text;
  int line, column;  ///< where the key or value at fault begins, or what stands in place of what is
                     ///< missing
};

const Mistake kMistakes[] = {
    // not TOML
    {"[experiment]\nname = quick\n", 2, 8},
    {"[experiment]\nname = 'quick\n", 2, 14},
    {"[experiment]\nname = \"quick\n", 2, 14},
    {"[experiment]\nname \"quick\"\n", 2, 6},
    {"[experiment]\nname : \"quick\"\n", 2, 6},
    {"[experiment]\nname == \"quick\"\n", 2, 7},
    {"[experiment]\nname =\n", 2, 7},
    {"[experiment]\n= \"quick\"\n", 2, 1},
    {"[experiment\nname = \"quick\"\n", 1, 12},
    {"[experiment]]\nname = \"quick\"\n", 1, 13},
    {"[]\nname = \"quick\"\n", 1, 2},
    {"[experiment] seed = 1\n", 1, 14},
    {"[experiment]\nseed = 1 2\n", 2, 10},
    {"[experiment]\nseed = 1,\n", 2, 9},
    {"[experiment]\nseed = 5%\n", 2, 9},
    {"[experiment]\nseed = 01\n", 2, 9},
    {"[experiment]\nseed = 1\nseed = 2\n", 3, 1},
    {"[experiment]\nseed = 1\n\n[experiment]\nname = \"a\"\n", 4, 1},
    {"[experiment]\nname = \"a\\q\"\n", 2, 11},
    {"[experiment]\nseed = 123456789012345678901234567890\n", 2, 8},
    {"[axes]\ntemperature = 1e999\n", 2, 15},
    {"[axes]\ntemperature = [0.0 1.0]\n", 2, 20},
    {"[axes]\ntemperature = [0.0, 1.0\n[prompts]\n", 3, 1},
    {"[axes]\ntemperature = .5\n", 2, 15},
    {"[prompts]\nignore_eos = yes\n", 2, 14},
    {"[prompts]\nignore_eos = True\n", 2, 14},
    {"[axes]\ntemperature = { from = 0.0, to = 1.0\n", 2, 37},
    {"\xef\xbb\xbf[experiment]\r\nname = quick\r\n", 2, 8},
    {"[experiment]\n\tname = quick\n", 2, 9},
    {"[experiment]\nname = \"\xc3\xa4\xc3\xb6\" x\n", 2, 13},
    {"[axes]\ntemperature = 2024-01-01\n", 2, 15},
    // keys that are none
    {"[experiment]\nnam = \"quick\"\n", 2, 1},
    {"[experimen]\nname = \"quick\"\n", 1, 2},
    {"name = \"quick\"\n", 1, 1},
    {"[experiment]\n  Name = \"quick\"\n", 2, 3},
    {"[axes]\ntemperature = 0.5\ndrafters = [\"bigram\"]\n", 3, 1},
    {"[sampling]\ntemperature = 0.5\n", 2, 1},
    {"[drafters.mine]\nkind = \"bigram\"\nmodle = \"m\"\n", 3, 1},
    {"axes.temprature = 0.5\n", 1, 6},
    {"axes = { tree = \"chain\", trees = \"chain\" }\n", 1, 26},
    {"[[exclude]]\ntemperatur = 0.0\n", 2, 1},
    // values that do not fit
    {"[experiment]\nname = 5\n", 2, 8},
    {"[experiment]\nseed = 1.5\n", 2, 8},
    {"[experiment]\nseed = -1\n", 2, 8},
    {"[experiment]\nrepetitions = 20000\n", 2, 15},
    {"[experiment]\nrepetitions = 3000000000\n", 2, 15},
    {"[axes]\ntemperature = [0.0, nan, 1.0]\n", 2, 21},
    {"[axes]\ntemperature = [0.0, inf]\n", 2, 21},
    {"[axes]\ntemperature = [0.0, \"warm\"]\n", 2, 21},
    {"[axes]\ntemperature = [0.0,\n               0.5,\n               -0.5]\n", 4, 16},
    {"[axes]\ntemperature = [[0.0]]\n", 2, 16},
    {"[axes]\ntemperature = []\n", 2, 15},
    {"[axes]\ntemperature = [0.5, 5e-1]\n", 2, 21},
    {"[axes]\ntemperature = { from = 1.0, to = 0.0, steps = 3 }\n", 2, 15},
    {"[axes]\ntemperature = { from = 0.0, to = 1.0 }\n", 2, 15},
    {"[axes]\ntemperature = { from = 0.0, to = 1.0, steps = 1 }\n", 2, 15},
    {"[axes]\ntemperature = { from = 0.0, to = 1.0, by = 0.0 }\n", 2, 15},
    {"[costs]\nrows = { from = 1, to = 2, by = 0.5 }\n", 2, 8},
    {"[target]\ndevice = \"gpu\"\n", 2, 10},
    {"target = \"smollm2-135m\"\n", 1, 10},
    {"[prompts]\nignore_eos = \"true\"\n", 2, 14},
    {"[sampling]\nsuppress_tokens = [1, -2]\n", 2, 23},
    {"include = 3\n", 1, 11},
    {"include = \"nowhere.toml\"\n", 1, 11},
    {"include = [\"bad.toml\"]\n", 1, 12},
    // keys that contradict one another
    {"[axes]\ntemperature = 0.0\n[sampling]\ntop_p = 0.9\n", 4, 9},
    {"[axes]\ndrafter = [\"none\", \"mine\"]\n", 2, 20},
    {"[axes]\ntemperature = 1.0\nverifier = [\"rejection\", \"greedy\"]\n", 3, 26},
    {"[axes]\ndrafter = \"bigram\"\n[[exclude]]\ndrafter = \"ngram\"\n", 4, 11},
    {"[axes]\ndrafter = \"bigram\"\n[[exclude]]\ntemperature = [0.0, 0.25]\n", 4, 21},
    {"[axes]\ndrafter = [\"bigram\", \"prompt_lookup\"]\ntree = [\"chain\", "
     "\"2x2\"]\n[[exclude]]\ndrafter = \"prompt_lookup\"\ntree = \"2x2\"\n",
     4, 1},
    {"[axes]\ndrafter = \"bigram\"\n[[exclude]]\n", 3, 1},
    {"[experiment]\nkind = \"rule_atlas\"\n[axes]\ndrafter = \"bigram\"\n[[exclude]]\ndrafter = "
     "\"bigram\"\n",
     1, 1},
    {"[[zip]]\ndrafter = [\"bigram\", \"ngram\"]\ntree = [\"chain\"]\n", 3, 8},
    {"[axes]\ntree = \"chain\"\n[[zip]]\ndrafter = [\"bigram\", \"ngram\"]\ntree = [\"chain\", "
     "\"2x2\"]\n",
     5, 8},
    {"[[zip]]\ndrafter = [\"bigram\", \"bigram\"]\ntree = [\"2x2\", \"2x2\"]\n", 2, 22},
    {"[[zip]]\ndrafter = [\"bigram\", \"ngram\"]\n", 1, 1},
    {"[[zip]]\ndrafter = [\"bigram\", \"trigram\"]\ntree = [\"2x2\", \"chain\"]\n", 2, 22},
    {"[drafters.mine]\nkind = \"prompt_lookup\"\nmax_ngram = 2\nmin_ngram = 3\n", 4, 13},
    {"[drafters.mine]\nkind = \"prompt_lookup\"\nmodel = \"m\"\n", 3, 9},
};

TEST(ConfigMistakes, EveryLineIsRightAndNearlyEveryColumn) {
  const testing::TemporaryFolder folder;
  int right_columns = 0, mistakes = 0;
  for (const Mistake& mistake : kMistakes) {
    const std::string path = folder.file("bad.toml", mistake.text), message = refusal(path),
                      line = path + ":" + std::to_string(mistake.line) + ":";
    EXPECT_TRUE(message.starts_with(line)) << mistake.text << "-> " << message;
    const bool is_right = message.starts_with(line + std::to_string(mistake.column) + ": ");
    right_columns += is_right ? 1 : 0;
    if (!is_right) std::printf("expected column %d: %s", mistake.column, (message + "\n").c_str());
    ++mistakes;
  }
  EXPECT_GE(mistakes, 60);
  EXPECT_GE(right_columns, 0.95 * mistakes);
  RecordProperty("mistakes", mistakes);
  RecordProperty("right_columns", right_columns);
}

TEST(ConfigMistakes, AllOfAFileAreToldInOrderEachWithItsLine) {
  const testing::TemporaryFolder folder;
  std::string text = "[experiment]\nseed = -1\nname = oops\n[prompts]\n";
  for (int i = 0; i < 30; ++i) text += "  key_" + std::to_string(i) + " = 1\n";
  const std::string path = folder.file("bad.toml", text), message = refusal(path);
  EXPECT_TRUE(message.starts_with(
      path + ":2:8: experiment.seed = -1; allowed: integers >= 0\n  seed = -1\n         ^\n" +
      path + ":3:8: "))
      << message;
  std::size_t at = 0;
  for (int i = 0; i < 30; ++i) {
    const std::string finding = path + ":" + std::to_string(5 + i) +
                                ":3: unknown key prompts.key_" + std::to_string(i) +
                                " = 1; allowed: set, ";
    const std::size_t found = message.find(finding);
    ASSERT_NE(found, std::string::npos) << finding;
    EXPECT_GT(found, at);
    at = found;
    EXPECT_TRUE(message.substr(message.find('\n', at))
                    .starts_with("\n    key_" + std::to_string(i) + " = 1\n    ^"));
  }
}

TEST(ConfigMistakes, WhatMayStandInALineThatCannotBeReadIsNotMissed) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file(
      "bad.toml", "[drafters.mine]\nkind = bigram\n[axes]\ndrafter = \"mine\"\ntemperature = -1\n");
  const std::string message = refusal(path);
  EXPECT_TRUE(message.starts_with(path + ":2:8: "));
  EXPECT_EQ(message.find("missing"), std::string::npos) << message;
  EXPECT_NE(message.find(path + ":5:15: axes.temperature = -1"), std::string::npos) << message;
}

TEST(ConfigMistakes, ManyAreCutAndCounted) {
  const testing::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 300; ++i) text += "key_" + std::to_string(i) + " = 1\n";
  const std::string message = refusal(folder.file("bad.toml", text));
  EXPECT_TRUE(message.ends_with("\nand 250 more")) << message;
}

TEST(ConfigMistakes, TheNearestKeyIsNamedWithinTwoEdits) {
  const testing::TemporaryFolder folder;
  const auto message = [&](const std::string& key) {
    return refusal(folder.file("bad.toml", "[axes]\n" + key + " = 0.0\n"));
  };
  for (const char* key : {"temperatures", "temprature", "Temperature", "tempeature_"})
    EXPECT_NE(message(key).find("; did you mean temperature?"), std::string::npos) << key;
  EXPECT_EQ(message("warmth").find("did you mean"), std::string::npos);
}

}  // namespace
}  // namespace speclab::experiments
