// Trees in rounds on the device against the host's rounds over the same models: the same tokens and
// records from the same draws.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>

#include "sim/core/tree_growth.h"
#include "sim/system/errors.h"
#include "tests/engines/cuda/device_rounds.h"

namespace speclab::engines {
namespace {

using speclab::testing::by_size;

/// Even ones, one whose inner nodes are leaves too, one where a late sibling alone goes on, and one
/// of one child a node but for the root.
constexpr std::array kShapes{"2x2", "3x1x2", "parents:0,0,0,1,1,2,4,4,7", "parents:0,0,2,3,3,5",
                             "4x1x1"};

class DeviceTreeRounds : public testing::DeviceRounds {
 protected:
  static DecoderOptions tree_options(const char* tree, double temperature,
                                     std::int32_t max_new_tokens = 9) {
    DecoderOptions result = options("small_transformer", temperature, max_new_tokens);
    result.drafter.tree = tree;
    return result;
  }

  static std::string refusal_of(const std::function<void()>& refused) {
    try {
      refused();
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(DeviceTreeRounds, GreedyRoundsAreTheHostsAndPlainDecodings) {
  const GenerationRecord plain = decode(*on_device(options("plain", 0.0, 9)), 1, 0);
  for (const char* tree : kShapes) {
    EXPECT_GT(expect_equal(tree_options(tree, 0.0), 5), 0) << tree;
    EXPECT_EQ(decode(*on_device(tree_options(tree, 0.0)), 1, 5).output_ids, plain.output_ids)
        << tree;
  }
}

TEST_F(DeviceTreeRounds, SampledRoundsAreTheHostsUnderEverySeed) {
  for (const char* tree : kShapes)
    for (std::uint64_t seed = 11; seed < by_size(12u, 12u, 14u); ++seed) {
      DecoderOptions sampled = tree_options(tree, 1.0);
      sampled.seed = seed;
      EXPECT_GT(expect_equal(sampled, 5), 0) << tree << ", seed " << seed;
    }
}

TEST_F(DeviceTreeRounds, OfADraftVocabularyAreTheHosts) {
  load(testing::small_config(), testing::drafter_of_some_tokens());
  for (const double temperature : temperatures())
    EXPECT_GT(expect_equal(tree_options("3x1x2", temperature, 30), 3), 0) << temperature;
}

/// Paths that leave the first children move in both caches, and every later round reads what was
/// moved.
TEST_F(DeviceTreeRounds, ManyRoundsReadWhatEarlierOnesMoved) {
  for (const double temperature : temperatures())
    EXPECT_GT(expect_equal(tree_options("3x2x1", temperature, 30), 3), 12) << temperature;
}

TEST_F(DeviceTreeRounds, AreTheHostsAcrossTheBorderOfTwoSplits) {
  for (const double temperature : temperatures())
    EXPECT_GT(expect_equal(tree_options("3x2x1", temperature, 16), ConstantPolicy(3), 120), 0)
        << temperature;
}

/// At a low temperature most laws have fewer tokens than a node has children: trees lack nodes, and
/// whole levels. The vocabulary is a multiple of 16: on the host a rest of it underflows later.
TEST_F(DeviceTreeRounds, LackTheNodesThatTheHostsLackWhereALawHasFewTokens) {
  DecoderShape config = testing::small_config();
  config.vocab_size = 128;
  load(config);
  for (const char* tree : {"5x3x2", "parents:0,0,0,3,3,5"}) {
    const DecoderOptions cold = tree_options(tree, 0.004);
    EXPECT_GT(expect_equal(cold, 3), 0) << tree;
    const GenerationRecord record = decode(*on_device(cold), 1, 3);
    const TreeGrowth growth = TreeGrowth::parse(tree, 1);
    const auto lacks = [&](const RoundRecord& round) {
      return round.drafted < growth.nodes_to_depth(round.depth);
    };
    EXPECT_TRUE(std::ranges::any_of(record.rounds, lacks))
        << tree << ": every law had tokens enough, so that this test sees nothing";
  }
}

TEST_F(DeviceTreeRounds, DraftWhatAPassHolds) {
  for (const double temperature : temperatures())
    for (const char* tree : {"2x2x2x2x2", "7x8", "21x1x1"})
      if (temperature > 0.0 || by_size(false, false, true))
        expect_equal(tree_options(tree, temperature, 4), 5);
}

TEST_F(DeviceTreeRounds, OfOneChildALevelAreTheChains) {
  for (const double temperature : temperatures()) {
    EXPECT_GT(expect_equal(tree_options("3", temperature, 14), 5), 0);
    EXPECT_EQ(decode(*on_device(tree_options("1x1x1", temperature)), 1, 5).output_ids,
              decode(*on_device(options("small_transformer", temperature, 9)), 1, 3).output_ids);
  }
}

TEST_F(DeviceTreeRounds, HaveTheLevelsThatThePolicyAndWhatIsWantedLeave) {
  for (const double temperature : temperatures())
    for (const std::int32_t length : {0, 1, 2})
      expect_equal(tree_options("2x2x1", temperature, 5), length);
}

TEST_F(DeviceTreeRounds, DraftNothingBeyondTheDraftersContext) {
  DecoderShape short_context = testing::small_config();
  short_context.context_length = 12;
  load(testing::small_config(), short_context);
  for (const double temperature : temperatures())
    expect_equal(tree_options("2x2x1", temperature, 12), 5);
}

TEST_F(DeviceTreeRounds, ReachTheEndOfTheContext) {
  for (const double temperature : temperatures())
    expect_equal(tree_options("3x2x1", temperature, 10), ConstantPolicy(3), 246);
}

/// The last token that stands is a leaf, of the last level or of the first, which the drafter has
/// not read; rounds without a draft follow.
TEST_F(DeviceTreeRounds, RoundsWithoutADraftLeaveNoGapInTheDraftersCache) {
  for (const char* tree : {"2x2x1", "parents:0,0,2,2,3"}) {
    DecoderOptions all_accepted = tree_options(tree, 1.0, 30);
    all_accepted.verifier = "replay";
    all_accepted.replay = std::make_shared<ReplayTrace>(ReplayTrace{{{3, 3}}});
    EXPECT_GT(expect_equal(all_accepted, testing::TurningPolicy()), 0) << tree;
  }
}

TEST_F(DeviceTreeRounds, ReplayForcesWhatTheTraceSays) {
  for (const double temperature : temperatures()) {
    DecoderOptions replay = tree_options("2x2x1", temperature);
    replay.verifier = "replay";
    replay.replay =
        std::make_shared<ReplayTrace>(ReplayTrace{{{3, 2}, {3, 0}, {2, 2}, {3, 3}, {1, 1}}});
    EXPECT_GT(expect_equal(replay, 3), 0);
  }
}

TEST_F(DeviceTreeRounds, APromptOfOneTokenIsEnough) {
  for (const double temperature : temperatures())
    expect_equal(tree_options("3x2x1", temperature), ConstantPolicy(3), 1);
}

TEST_F(DeviceTreeRounds, RefuseWhatTheyDoNotSupportAndSayWhatIsAllowed) {
  for (const char* grown : {"best_first:5", "best_first:adaptive", "beam:8", "suffixes:3:2x2"}) {
    const std::string refusal = refusal_of([&] { on_device(tree_options(grown, 0.0)); });
    EXPECT_NE(refusal.find(grown), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("3x2x1"), std::string::npos) << refusal;
  }
  EXPECT_NE(refusal_of([&] { on_device(tree_options("64", 0.0)); }).find("63 nodes"),
            std::string::npos);
  EXPECT_NE(refusal_of([&] { on_device(tree_options("8x8", 0.0)); }).find("72 nodes"),
            std::string::npos);
  for (const char* verifier : {"tree_multi_round", "tree_without_replacement", "several_drafts",
                               "sample_and_match", "point_mass", "typical"}) {
    DecoderOptions wrong = tree_options("2x2", 1.0);
    wrong.verifier = verifier;
    EXPECT_NE(refusal_of([&] { on_device(wrong); }).find(verifier), std::string::npos) << verifier;
  }
  DecoderOptions block = tree_options("2x2", 0.0);
  block.verifier = "block";
  EXPECT_NE(refusal_of([&] { on_device(block); }).find("block"), std::string::npos);
  const auto decoder = on_device(tree_options("2x2", 0.0));
  EXPECT_THROW(decoder->begin({{0, {1}}, {1, {1}}}, ConstantPolicy(3)), ConfigError);
}

}  // namespace
}  // namespace speclab::engines
