#include "experiments/drivers/config/sweep.h"

#include <gtest/gtest.h>

#include "experiments/drivers/config/generation_axis.h"
#include "experiments/drivers/config/run_config.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::experiments {
namespace {

RunConfig read_sweep_config(const std::string& text) {
  const testing::TemporaryFolder folder;
  return read_run_config(folder.file("a.toml", text), {});
}

std::vector<std::string> cells(const RunConfig& config) {
  std::vector<std::string> cells;
  const Sweep sweep(config);
  for (const Setting& point : sweep.product())
    if (sweep.holds(point))
      cells.push_back(axis_text(point.temperature) + " " + point.drafter + " " + point.tree + " " +
                      point.policy);
  return cells;
}

TEST(NumberRange, HasBothEndsWithStepsAndNothingAboveToWithBy) {
  const auto temperatures = [](const std::string& range) {
    return read_sweep_config("[axes]\ntemperature = { " + range + " }\n").axes.temperature;
  };
  EXPECT_EQ(temperatures("from = 0.0, to = 1.0, steps = 5"),
            (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(temperatures("from = 0.1, to = 0.7, by = 0.1"),
            (std::vector<double>{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}));
  EXPECT_EQ(temperatures("from = 0, to = 1, by = 0.4"), (std::vector<double>{0, 0.4, 0.8}));
  EXPECT_EQ(temperatures("from = 0, to = 2, steps = 3"), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(read_sweep_config("[costs]\nrows = { from = 2, to = 9, by = 3 }\n").costs.rows,
            (std::vector<std::int32_t>{2, 5, 8}));
  EXPECT_EQ(read_sweep_config("[costs]\nrows = { from = 1, to = 16, steps = 4 }\n").costs.rows,
            (std::vector<std::int32_t>{1, 6, 11, 16}));
}

TEST(NumberRange, IsWrittenAsTheListThatItStandsFor) {
  EXPECT_NE(to_toml(read_sweep_config("[axes]\ntemperature = { from = 0.1, to = 0.3, by = 0.1 }\n"))
                .find("temperature = [0.1, 0.2, 0.3]\n"),
            std::string::npos);
}

TEST(Zip, AdvancesItsAxesTogetherAndCombinesWithTheOthers) {
  const RunConfig config = read_sweep_config(
      "[axes]\npolicy = [\"constant:1\", \"constant:2\"]\n[[zip]]\ndrafter = [\"bigram\", "
      "\"bigram\", \"ngram\"]\ntree = [\"chain\", \"2x2\", \"2x2\"]\n");
  EXPECT_EQ(config.axes.drafter, (std::vector<std::string>{"bigram", "ngram"}));
  EXPECT_EQ(cells(config), (std::vector<std::string>{
                               "0 none  ", "0 bigram chain constant:1", "0 bigram chain constant:2",
                               "0 bigram 2x2 constant:1", "0 bigram 2x2 constant:2",
                               "0 ngram 2x2 constant:1", "0 ngram 2x2 constant:2"}));
}

TEST(Zip, IgnoresTheTreesOfDraftersWithoutOneAndPlainDecodingStaysOfEveryTemperature) {
  const RunConfig config = read_sweep_config(
      "[axes]\npolicy = \"constant:1\"\n[[zip]]\ntemperature = [0, 1.0]\ndrafter = [\"bigram\", "
      "\"prompt_lookup\"]\ntree = [\"2x2\", \"2x2\"]\n");
  EXPECT_EQ(cells(config), (std::vector<std::string>{"0 none  ", "0 bigram 2x2 constant:1",
                                                     "1 none  ", "1 prompt_lookup  constant:1"}));
}

TEST(Zip, KeepsPoliciesApartFromTreesThatTheyDoNotGoWith) {
  const std::string drafters =
      "[[zip]]\ndrafter = [\"bigram\", \"bigram\", \"ngram\"]\ntree = [\"chain\", \"2x2\", "
      "\"best_first:adaptive\"]\n";
  EXPECT_EQ(
      cells(read_sweep_config(drafters + "policy = [\"confidence\", \"auto\", \"heuristic\"]\n")),
      (std::vector<std::string>{"0 none  ", "0 bigram chain confidence", "0 bigram 2x2 auto",
                                "0 ngram best_first:adaptive heuristic"}));
  EXPECT_THROW(read_sweep_config(drafters + "policy = [\"auto\", \"confidence\", \"heuristic\"]\n"),
               ConfigError);
  EXPECT_THROW(read_sweep_config(drafters + "policy = [\"confidence\", \"auto\", \"tracking\"]\n"),
               ConfigError);
}

TEST(Zip, TwoOfThemAreIndependent) {
  const RunConfig config = read_sweep_config(
      "[[zip]]\nmodel = [\"a\", \"b\"]\ntemperature = [0.5, 1.0]\n[[zip]]\ndrafter = [\"bigram\", "
      "\"ngram\"]\npolicy = [\"constant:1\", \"constant:2\"]\n");
  EXPECT_EQ(cells(config),
            (std::vector<std::string>{"0.5 none  ", "0.5 bigram chain constant:1",
                                      "0.5 ngram chain constant:2", "1 none  ",
                                      "1 bigram chain constant:1", "1 ngram chain constant:2"}));
  EXPECT_EQ(config.axes.model, (std::vector<std::string>{"a", "b"}));
}

TEST(Exclude, LeavesOutWhatMatchesEveryAxisThatItNames) {
  const std::string axes =
      "[axes]\ntemperature = [0.0, 1.0]\ndrafter = [\"bigram\", \"prompt_lookup\"]\npolicy = "
      "\"constant:1\"\n";
  EXPECT_EQ(cells(read_sweep_config(axes + "[[exclude]]\ntemperature = 1\ndrafter = \"bigram\"\n")),
            (std::vector<std::string>{"0 none  ", "0 bigram chain constant:1",
                                      "0 prompt_lookup  constant:1", "1 none  ",
                                      "1 prompt_lookup  constant:1"}));
  EXPECT_EQ(
      cells(read_sweep_config(
          axes + "[[exclude]]\ndrafter = [\"bigram\", \"prompt_lookup\"]\ntemperature = 0\n")),
      (std::vector<std::string>{"0 none  ", "1 none  ", "1 bigram chain constant:1",
                                "1 prompt_lookup  constant:1"}));
  EXPECT_EQ(cells(read_sweep_config(axes + "[[exclude]]\ntemperature = 1.0\n")).size(), 3u)
      << "plain decoding of that temperature is left out too";
}

TEST(Sweep, ZipsAndExclusionsAreWrittenAndReadBack) {
  const std::string text =
      "[axes]\npolicy = [\"constant:1\", \"constant:2\"]\n[[zip]]\ndrafter = [\"bigram\", "
      "\"ngram\"]\ntemperature = [0.5, 1.0]\n[[exclude]]\ntemperature = [0.5]\npolicy = "
      "\"constant:1\"\n[[exclude]]\ntemperature = 1.0\npolicy = \"constant:2\"\n";
  const RunConfig config = read_sweep_config(text), again = read_sweep_config(to_toml(config));
  EXPECT_EQ(to_toml(again), to_toml(config));
  EXPECT_EQ(cells(again), cells(config));
  EXPECT_EQ(again.exclusions.size(), 2u);
}

TEST(Sweep, RefusesMoreCellsThanFitBeforeItMakesThem) {
  std::string policies;
  for (int i = 1; i <= 4000; ++i) policies += "\"constant:" + std::to_string(i) + "\", ";
  try {
    read_sweep_config(
        "[axes]\ntemperature = { from = 1, to = 50, steps = 50 }\ndrafter = [\"bigram\"]\npolicy = "
        "[" +
        policies + "]\n");
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("200050 cells; allowed: at most 100000"),
              std::string::npos)
        << error.what();
  }
}

class Include : public ::testing::Test {
 protected:
  std::string refusal(const std::string& path) const {
    try {
      read_run_config(path, {});
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "accepted";
  }
  testing::TemporaryFolder folder_;
};

TEST_F(Include, ItsKeysHoldWhereTheFileHasNone) {
  make_folder(folder_.path("base"));
  folder_.file("base/base.toml",
               "include = \"deeper.toml\"\n[experiment]\nname = \"base\"\nseed = 2\n");
  folder_.file("base/deeper.toml",
               "[experiment]\nseed = 3\nrepetitions = 4\n[costs]\nrepetitions = 9\n");
  folder_.file("second.toml", "[costs]\nrepetitions = 8\n");
  const RunConfig config =
      read_run_config(folder_.file("a.toml",
                                   "# Why?\ninclude = [\"base/base.toml\", "
                                   "\"second.toml\"]\n[experiment]\nname = \"own\"\n"),
                      {"experiment.seed=5"});
  EXPECT_EQ(config.name, "own");
  EXPECT_EQ(config.seed, 5u) << "settings win";
  EXPECT_EQ(config.repetitions, 4);
  EXPECT_EQ(config.costs.repetitions, 8) << "a later file wins";
  EXPECT_EQ(config.question, "Why?");
}

TEST_F(Include, MistakesNameTheFileTheyAreInBehindThoseOfTheFileItself) {
  const std::string base = folder_.file("base.toml", "[costs]\nrepetitions = 0\n"),
                    own = folder_.file("a.toml",
                                       "include = \"base.toml\"\n[experiment]\nseed = -1\n");
  EXPECT_EQ(refusal(own),
            own + ":3:8: experiment.seed = -1; allowed: integers >= 0\n  seed = -1\n         ^\n" +
                base +
                ":2:15: costs.repetitions = 0; allowed: integers from 1 to 10000\n  repetitions = "
                "0\n                ^");
}

TEST_F(Include, RefusesCirclesAndFilesWithoutEnd) {
  folder_.file("b.toml", "include = \"a.toml\"\n");
  const std::string own = folder_.file("a.toml", "include = \"b.toml\"\n");
  EXPECT_NE(
      refusal(own).find(
          "b.toml:1:11: include = \"a.toml\"; allowed: files that do not include each other: "),
      std::string::npos)
      << refusal(own);
  EXPECT_NE(refusal(folder_.file("self.toml", "include = \"./self.toml\"\n"))
                .find("self.toml:1:11: include = "),
            std::string::npos);
  std::string many = "include = [";
  for (int i = 0; i < 120; ++i)
    many += "\"" + std::to_string(i) + ".toml\", ", folder_.file(std::to_string(i) + ".toml", "");
  EXPECT_NE(refusal(folder_.file("many.toml", many + "]\n")).find("at most 100 files"),
            std::string::npos);
}

std::string refusal_of(const std::string& text) {
  try {
    read_sweep_config(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

/// Defects: a way of decoding is checked again for each model, format and temperature that share
/// it, which takes minutes of a large sweep; ways that differ are taken for one.
TEST(Generations, AreCheckedOnceForEveryWayOfDecoding) {
  const auto ways = ways_of_decoding(read_sweep_config(
      "[target]\nmodel = [\"smollm2-135m\", \"smollm2-drafter\"]\n"
      "[axes]\nweights = [\"q8\", \"bfloat16\"]\ntemperature = [0.5, 1.0]\n"
      "drafter = [\"none\", \"bigram\", \"ngram\"]\npolicy = [\"constant:1\", \"constant:2\"]\n"
      "generation = [\"num_beams=1\", \"do_sample=true\"]\n"));
  EXPECT_EQ(ways.size(), 2u);
  for (const auto& [generation, points] : ways) {
    EXPECT_EQ(points.size(), 2u * (1 + 2 * 2)) << generation;
    for (const Setting& point : points) EXPECT_EQ(point.generation, generation);
  }
}

/// Defect: the first way that may be decoded stands for all.
TEST(Generations, AreRefusedForTheOneCellThatCannotHaveThem) {
  EXPECT_NE(refusal_of("[axes]\ntemperature = [1.0, 0.0]\ngeneration = [\"do_sample=true\"]\n")
                .find("at temperature 0, which draws nothing"),
            std::string::npos);
  EXPECT_NE(refusal_of("[axes]\ndrafter = [\"bigram\"]\npolicy = [\"constant:2\", \"auto\"]\n"
                       "generation = [\"num_beams=2\"]\n")
                .find("constant:N"),
            std::string::npos);
}

}  // namespace
}  // namespace speclab::experiments
