// Steps of a group of beams and the texts that it has finished, by hand.

#include "engines/search/beam_group.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr Token kLast = 3;

DecoderOptions two_beams() {
  DecoderOptions options{.search = SearchOptions{}};
  options.search->num_beams = 2;
  options.sampling.temperature = 0;
  return options;
}

FoundSequence text(std::size_t length) { return {.ids = std::vector<Token>(length, 1)}; }

/// Defect: a score that forgets the length, a worse text that pushes out a better one.
TEST(FinishedBeams, KeepTheBestForTheirLength) {
  DecoderOptions options = two_beams();
  options.search->length_penalty = 2.0;
  FinishedBeams finished(*options.search, 2);
  finished.add(text(2), -8.0);
  finished.add(text(1), -1.0);
  finished.add(text(4), -24.0);
  ASSERT_EQ(finished.sequences().size(), 2u);
  EXPECT_EQ(finished.sequences()[0].score, -1.0);
  EXPECT_EQ(finished.sequences()[1].score, -1.5);
}

/// Defect: "never" taken for "false", a search that ends before it has enough texts.
TEST(FinishedBeams, AreFinalByTheRuleOfEarlyStopping) {
  const BeamLengths lengths{.prompt = 3, .longest = 13};
  for (const auto& [rule, are_final] : {std::pair{EarlyStopping::no, true},
                                        {EarlyStopping::yes, true},
                                        {EarlyStopping::never, false}}) {
    DecoderOptions options = two_beams();
    options.search->early_stopping = rule;
    FinishedBeams finished(*options.search, 2);
    finished.add(text(1), -1.0);
    EXPECT_FALSE(finished.are_final(-9.0, 5, lengths)) << "one text of two";
    finished.add(text(1), -2.0);
    // At length 5 the best open beam has -9 / 2, at the longest -9 / 10.
    EXPECT_EQ(finished.are_final(-9.0, 5, lengths), are_final);
  }
}

/// Defect: an end that counts although two candidates are better, or that keeps its beam open.
TEST(BeamGroup, TakesAnEndAmongTheBestAlone) {
  const DecoderOptions options = two_beams();
  RowScorer scorer(options, "small", 2);
  PhiloxChance chance(0);
  for (const auto& [logits, num_finished] :
       {std::pair{std::vector<float>{4, 0, 0, 5}, 1u}, {std::vector<float>{5, 4, 0, 3}, 0u}}) {
    BeamGroup group(options, {kLast}, {.prompt = 1, .longest = 9});
    group.begin(std::vector<Token>{2});
    const ForwardResult result{logits, 4};
    group.step(scorer, {result, {}, chance, 0, 0});
    EXPECT_EQ(group.finished().sequences().size(), num_finished);
    ASSERT_EQ(group.beams().size(), 2u);
    for (const Beam& beam : group.beams()) EXPECT_NE(beam.tokens.back(), kLast);
  }
}

/// Defect: rules that ban every token end in a broken contract, or in damaged logits.
TEST(BeamGroup, SaysThatRulesLeaveNoToken) {
  DecoderOptions options = two_beams();
  options.sampling.suppress_tokens = {0, 1, 2, 3};
  options.sampling.rules.renormalize_logits = true;
  for (const bool draws : {false, true}) {
    options.search->do_sample = draws;
    options.sampling.temperature = draws ? 1.0 : 0.0;
    options.sampling.top_k = draws ? 2 : 0;
    RowScorer scorer(options, "small", 2);
    PhiloxChance chance(0);
    BeamGroup group(options, {}, {.prompt = 1, .longest = 9});
    group.begin(std::vector<Token>{2});
    const std::vector<float> logits{5, 1, 4, 3};
    const ForwardResult result{logits, 4};
    EXPECT_THROW(group.step(scorer, {result, {}, chance, 0, 0}), ConfigError);
  }
}

/// The end is third, but the second best is an end of its own.
TEST(BeamGroup, SkipsAnEndBehindAsManyCandidatesAsBeams) {
  const DecoderOptions options = two_beams();
  RowScorer scorer(options, "small", 2);
  PhiloxChance chance(0);
  BeamGroup group(options, {2, kLast}, {.prompt = 1, .longest = 9});
  group.begin(std::vector<Token>{2});
  const std::vector<float> logits{5, 1, 4, 3};
  const ForwardResult result{logits, 4};
  group.step(scorer, {result, {}, chance, 0, 0});
  ASSERT_EQ(group.finished().sequences().size(), 1u);
  EXPECT_EQ(group.finished().sequences()[0].ids, (std::vector<Token>{2}));
}

}  // namespace
}  // namespace speclab::engines
