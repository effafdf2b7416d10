#include <gtest/gtest.h>

#include <random>

#include "sim/system/errors.h"
#include "tests/engines/drafters/drafting.h"
#include "tests/engines/drafters/slow_lookup.h"

namespace speclab::engines {
namespace {

std::vector<Token> looked_up(std::vector<Token> tokens, std::int32_t max_length,
                             DrafterOptions options = {}) {
  const auto drafter = make_prompt_lookup_drafter({.drafter = options}, 300);
  const Draft draft =
      testing::propose(*drafter, testing::sequence_of(std::move(tokens)), max_length);
  EXPECT_TRUE(draft.tree.is_chain());
  EXPECT_EQ(draft.draw_kind, DrawKind::arg_max);
  return testing::drafted_tokens(draft);
}

using Tokens = std::vector<Token>;

TEST(PromptLookup, CopiesWhatFollowedTheSuffix) {
  EXPECT_EQ(looked_up({1, 2, 3, 4, 5, 6, 9, 1, 2, 3}, 3), (Tokens{4, 5, 6}));
}

TEST(PromptLookup, ItsLawsAreOverTheTargetsVocabulary) {
  const auto drafter = make_prompt_lookup_drafter({}, 300);
  const Draft draft = testing::propose(*drafter, testing::sequence_of({1, 2, 3, 1, 2}), 1);
  EXPECT_EQ(draft.law_at(0).vocab_size(), 300u);
}

TEST(PromptLookup, TakesTheLatestMatch) {
  EXPECT_EQ(looked_up({1, 2, 3, 7, 1, 2, 3, 8, 1, 2, 3}, 2), (Tokens{8, 1}));
}

TEST(PromptLookup, PrefersALongerMatchToALaterOne) {
  EXPECT_EQ(looked_up({1, 2, 3, 7, 5, 3, 8, 1, 2, 3}, 1), (Tokens{7}));
}

TEST(PromptLookup, FallsBackToShorterSuffixes) {
  EXPECT_EQ(looked_up({4, 3, 9, 1, 2, 3}, 1), (Tokens{9}));
  EXPECT_TRUE(looked_up({4, 3, 9, 1, 2, 3}, 1, {.min_ngram = 2}).empty());
}

TEST(PromptLookup, DraftsNothingWithoutAMatch) {
  EXPECT_TRUE(looked_up({1, 2, 3, 4, 5}, 4).empty());
}

TEST(PromptLookup, DraftsNothingWhereThePromptIsShorterThanTheNgram) {
  EXPECT_TRUE(looked_up({5}, 4).empty());
  EXPECT_TRUE(looked_up({5, 5}, 4, {.max_ngram = 3, .min_ngram = 2}).empty());
  EXPECT_EQ(looked_up({5, 5}, 4), (Tokens{5}));
}

TEST(PromptLookup, CopiesNoFurtherThanTheSequence) {
  EXPECT_EQ(looked_up({1, 2, 3, 1, 2, 3}, 10), (Tokens{1, 2, 3}));
  EXPECT_EQ(looked_up({7, 7, 7, 7, 7}, 10), (Tokens{7}));
}

TEST(PromptLookup, DraftsNothingWhenNoneIsWanted) { EXPECT_TRUE(looked_up({1, 2, 1}, 0).empty()); }

TEST(PromptLookup, LawIsCertainOfTheCopiedToken) {
  const auto drafter = make_prompt_lookup_drafter({}, 300);
  const Draft draft = testing::propose(*drafter, testing::sequence_of({1, 2, 8, 1, 2}), 2);
  EXPECT_EQ(draft.law_at(0)[8], 1.0f);
  EXPECT_EQ(draft.law_at(1)[1], 1.0f);
}

/// What one drafter, whatever it looked up before, drafts for the sequence is what a scan finds.
void expect_the_slow_draft(Drafter& drafter, const Sequence& sequence, const char* what) {
  const testing::SlowMatch match = testing::slow_match(sequence.tokens, 3);
  Tokens wanted(
      sequence.tokens.begin() +
          static_cast<std::ptrdiff_t>(match.length == 0 ? sequence.tokens.size() : match.end),
      sequence.tokens.end());
  wanted.resize(std::min<std::size_t>(wanted.size(), 10));
  EXPECT_EQ(testing::drafted_tokens(testing::propose(drafter, sequence, 10)), wanted)
      << what << ", sequence " << sequence.index;
}

Sequence random_sequence(std::mt19937& random, std::int32_t index) {
  Tokens tokens;
  for (unsigned i = 0; i < 4 + random() % 60; ++i)
    tokens.push_back(static_cast<Token>(random() % 6));
  Sequence sequence = testing::sequence_of(tokens);
  sequence.index = index;
  return sequence;
}

/// The sequence's tokens are the truth, whatever was there before: longer, shorter, or others.
TEST(PromptLookup, FollowsSequencesThatGrowAreRolledBackForkedAndReplaced) {
  std::mt19937 random(8);
  const auto drafter = make_prompt_lookup_drafter({}, 300);
  std::vector<Sequence> batch;
  for (int step = 0; step < 600; ++step) {
    if (step % 60 == 0) {
      batch.clear();
      for (unsigned i = 0; i < 1 + random() % 4; ++i)
        batch.push_back(random_sequence(random, static_cast<std::int32_t>(i)));
      drafter->begin(batch);
    }
    Sequence& sequence = batch[random() % batch.size()];
    const unsigned change = random() % 8;
    if (change == 0)
      sequence.tokens.resize(1 + random() % sequence.tokens.size());  // rolled back
    else if (change == 1)
      sequence.tokens = batch[random() % batch.size()].tokens;  // forked
    else if (change == 2)
      sequence.tokens[random() % sequence.tokens.size()] =
          static_cast<Token>(random() % 6);  // another prompt of equal length
    else
      for (unsigned i = 0; i < 1 + random() % 5; ++i)
        sequence.tokens.push_back(static_cast<Token>(random() % 6));
    expect_the_slow_draft(*drafter, sequence, "changed");
    expect_the_slow_draft(*drafter, batch.front(), "untouched");
  }
}

TEST(PromptLookup, ForgetsThePromptBefore) {
  const auto drafter = make_prompt_lookup_drafter({}, 300);
  for (const Tokens& prompt : {Tokens{1, 2, 3, 4, 1, 2}, Tokens{1, 2, 9, 8, 1, 2}, Tokens{5, 1, 2},
                               Tokens{1, 2, 3, 4, 1, 2, 3}}) {
    const Sequence sequence = testing::sequence_of(prompt);
    drafter->begin({&sequence, 1});
    expect_the_slow_draft(*drafter, sequence, "a new prompt");
  }
}

TEST(PromptLookup, RefusesImpossibleNgrams) {
  EXPECT_THROW(make_prompt_lookup_drafter({.drafter = {.max_ngram = 3, .min_ngram = 0}}, 300),
               ConfigError);
  EXPECT_THROW(make_prompt_lookup_drafter({.drafter = {.max_ngram = 1, .min_ngram = 2}}, 300),
               ConfigError);
}

}  // namespace
}  // namespace speclab::engines
