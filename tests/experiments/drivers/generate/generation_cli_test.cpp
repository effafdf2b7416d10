// Options of `speclab generate` that GenerationConfig has.

#include <gtest/gtest.h>

#include "experiments/drivers/cli/cli_options.h"
#include "experiments/drivers/generate/call_checks.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// The options of a command line of `speclab generate`, its words in order.
GenerateOptions parsed(std::vector<std::string> words) {
  GenerateOptions options;
  CLI::App app;
  add_generate_options(&app, options);
  std::ranges::reverse(words);  // as CLI11 takes them
  app.parse(std::move(words));
  return options;
}

std::string mode_of(std::vector<std::string> words) {
  return read_generation(parsed(std::move(words)).generation, "").value().mode.name();
}

/// Defect: a call without GenerationConfig goes another way than before.
TEST(GenerationCli, LeavesOtherCallsAlone) {
  EXPECT_FALSE(read_generation(parsed({}).generation, ""));
  const GenerateOptions options =
      parsed({"--temperature", "0.5", "--top-k", "5", "--stop", "a", "--suppress-tokens", "1,2",
              "--drafter", "ngram", "--seed", "9"});
  EXPECT_FALSE(read_generation(options.generation, ""));
  const GenerationPlan plan = checked_call(options, std::nullopt).plan;
  EXPECT_EQ(plan.decoding.sampling.temperature, 0.5);
  EXPECT_EQ(plan.decoding.sampling.top_k, 5);
  EXPECT_EQ(plan.decoding.drafter.kind, "ngram");
  EXPECT_EQ(plan.decoding.seed, 9u);
  EXPECT_EQ(plan.policy, "constant:4");
  EXPECT_FALSE(plan.needs_search());
}

/// Defect: the value of an older option is lost beside those of GenerationConfig.
TEST(GenerationCli, NotesWhichOptionsAreGiven) {
  const GenerationOptions given =
      parsed({"--num-beams", "4", "--top-k", "5", "--suppress-tokens", "1,2", "--stop", "a",
              "--stop", "1", "--force-words-ids", "[[5,6],[7]]", "--early-stopping", "never",
              "--length-penalty", "-1.5"})
          .generation;
  const std::map<std::string, std::string> expected{{"num_beams", "4"},
                                                    {"top_k", "5"},
                                                    {"suppress_tokens", "[1,2]"},
                                                    {"stop_strings", R"(["a","1"])"},
                                                    {"force_words_ids", "[[5,6],[7]]"},
                                                    {"early_stopping", "never"},
                                                    {"length_penalty", "-1.5"}};
  EXPECT_EQ(given.given, expected);
  EXPECT_TRUE(given.has_key_option);
  EXPECT_FALSE(given.is_drafter_given || given.is_policy_given);
  const GenerationOptions drafted =
      parsed({"--drafter", "none", "--speculation-length", "3"}).generation;
  EXPECT_TRUE(drafted.is_drafter_given && drafted.is_policy_given);
}

/// Defect: a key of GenerationConfig has no option.
TEST(GenerationCli, HasAnOptionForEachKey) {
  GenerateOptions options;
  CLI::App app;
  add_generate_options(&app, options);
  for (const GenerationKey& key : generation_keys())
    EXPECT_NE(app.get_option_no_throw(key.option()), nullptr) << key.name;
}

/// Defect: the options do not reach the mode.
TEST(GenerationCli, ChoosesTheMode) {
  EXPECT_EQ(mode_of({"--explain"}), "sample");
  EXPECT_EQ(mode_of({"--explain", "--temperature", "0"}), "greedy_search");
  EXPECT_EQ(mode_of({"--num-beams", "4"}), "beam_search");
  EXPECT_EQ(mode_of({"--num-beams", "4", "--temperature", "0.7"}), "beam_sample");
  EXPECT_EQ(mode_of({"--penalty-alpha", "0.6", "--top-k", "4"}), "contrastive_search");
  EXPECT_EQ(mode_of({"--do-sample", "False", "--drafter", "ngram"}), "assisted_generation");
  EXPECT_THROW(mode_of({"--penalty-alpha", "0.6", "--drafter", "ngram"}), ConfigError);
}

/// Defect: the values of a plan are the older options' instead of GenerationConfig's.
TEST(GenerationCli, PlansWithBothKindsOfOptions) {
  const GenerateOptions options = parsed({"--do-sample", "true", "--top-p", "0.5", "--min-length",
                                          "3", "--stop", "a", "--ignore-eos", "--seed", "9"});
  const GenerationPlan planned =
      checked_call(options, read_generation(options.generation, "")).plan;
  EXPECT_EQ(planned.decoding.sampling.top_k, 50);
  EXPECT_EQ(planned.decoding.sampling.top_p, 0.5);
  EXPECT_EQ(planned.decoding.sampling.min_length, 3);
  EXPECT_EQ(planned.decoding.stop.stop_strings, std::vector<std::string>{"a"});
  EXPECT_TRUE(planned.decoding.stop.ignore_eos);
  EXPECT_EQ(planned.decoding.stop.max_new_tokens, 128);
  EXPECT_EQ(planned.policy, "constant:4");
}

/// Defect: a search takes a verifier and ignores it.
TEST(GenerationCli, RefusesAVerifierWithASearch) {
  const auto plan = [](std::vector<std::string> words) {
    const GenerateOptions options = parsed(std::move(words));
    return checked_call(options, read_generation(options.generation, "")).plan;
  };
  EXPECT_THROW(plan({"--num-beams", "4", "--verifier", "typical"}), ConfigError);
  EXPECT_NO_THROW(plan({"--do-sample", "true", "--verifier", "typical"}));
}

}  // namespace
}  // namespace speclab::experiments
