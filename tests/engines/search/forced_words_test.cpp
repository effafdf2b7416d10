// How words are met, how texts take turns by it, and which words are refused.

#include "engines/search/forced_words.h"

#include <gtest/gtest.h>

#include "engines/search/beam_group.h"
#include "engines/search/search_checks.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

using Words = std::vector<WordForms>;

ForcedWords words_behind(const Words& words, const std::vector<Token>& text) {
  ForcedWords state(words);
  for (const Token token : text) state.add(token);
  return state;
}

std::vector<std::int64_t> progress_of_steps(const ForcedWords& state) {
  std::vector<std::int64_t> progress;
  for (const ForcedWords::Step& step : state.steps()) progress.push_back(step.progress);
  return progress;
}

std::vector<Token> tokens_of_steps(const ForcedWords& state) {
  std::vector<Token> tokens;
  for (const ForcedWords::Step& step : state.steps()) tokens.push_back(step.token);
  return tokens;
}

/// Defect: a word that goes on behind a gap, or a token that breaks one word and begins another.
TEST(ForcedWords, BeginAnewWhereTheyBreakOff) {
  const Words words{{{5, 6}}, {{7}}};
  EXPECT_EQ(tokens_of_steps(words_behind(words, {})), (std::vector<Token>{5, 7}));
  EXPECT_EQ(tokens_of_steps(words_behind(words, {5})), (std::vector<Token>{6}));
  for (const Token breaking : {5, 7, 9}) {
    const ForcedWords state = words_behind(words, {5, breaking});
    EXPECT_EQ(tokens_of_steps(state), (std::vector<Token>{7, 5})) << breaking;
    EXPECT_EQ(state.progress(), 0) << breaking;
  }
  EXPECT_FALSE(words_behind(words, {5, 9, 6, 7}).are_met());
  EXPECT_TRUE(words_behind(words, {7, 5, 6, 9}).are_met());
}

/// Defect: a form that does not count, or progress that forgets met words or the longest one. The
/// numbers are those of transformers 4.49.
TEST(ForcedWords, CountProgressAsTransformersDoes) {
  const Words words{{{1, 2}, {3, 4, 5}}, {{6}}};
  EXPECT_EQ(words_behind(words, {3}).progress(), 1);
  EXPECT_EQ(words_behind(words, {6}).progress(), 3);
  EXPECT_EQ(words_behind(words, {6, 1}).progress(), 4);
  EXPECT_TRUE(words_behind(words, {6, 1, 2}).are_met());
  EXPECT_TRUE(words_behind({}, {}).are_met());
}

/// Defect: forms that fork behind their first token take another order than in transformers 4.49,
/// whose states share a path.
TEST(ForcedWords, ShareThePathOfABegunWord) {
  EXPECT_EQ(progress_of_steps(words_behind({{{1, 2}, {1, 3}, {1, 4}}}, {1})),
            (std::vector<std::int64_t>{2, 0, 0}));
  EXPECT_EQ(
      progress_of_steps(words_behind({{{1, 2, 3, 9}, {1, 3, 4}, {1, 4}}, {{5, 6, 7, 8, 9}}}, {1})),
      (std::vector<std::int64_t>{4, 4, 0}));
}

/// Defect: the farthest text alone goes on, or equal progress is not one run.
TEST(ForcedWords, LetTextsOfEveryProgressTakeTurns) {
  std::vector<ForcedCandidate> candidates;
  for (const auto& [token, log_probability, progress] :
       {std::tuple{0, -1.0, 0}, {1, -2.0, 0}, {2, -9.0, 1}, {3, -8.0, 1}, {4, -150.0, 1}})
    candidates.push_back({{0, token, log_probability}, progress});
  std::vector<Token> chosen;
  for (const Candidate& one : chosen_in_turn(candidates, 5)) chosen.push_back(one.token);
  // -150 + 100 lies behind those without progress, so it begins a run of its own.
  EXPECT_EQ(chosen, (std::vector<Token>{3, 0, 4, 2, 1}));
  EXPECT_EQ(chosen_in_turn(candidates, 2).size(), 2u);
}

DecoderOptions two_beams(Words words) {
  DecoderOptions options{.search = SearchOptions{}};
  options.search->num_beams = 2;
  options.search->force_words_ids = std::move(words);
  return options;
}

/// A step of two beams behind one token, over four tokens of which the last is an end.
struct OneStep {
  explicit OneStep(DecoderOptions of) : options(std::move(of)) {
    group.begin(std::vector<Token>{2});
    const std::vector<float> logits{4, 1, -6, 5};
    const ForwardResult result{logits, 4};
    group.step(scorer, {result, {}, chance, 0, 0});
  }
  DecoderOptions options{.search = SearchOptions{}};
  RowScorer scorer{options, "small", 2};
  PhiloxChance chance{0};
  BeamGroup group{options, {3}, {.prompt = 1, .longest = 9}};
};

/// Defect: an end that counts before all words stand there, or a word whose unlikely token never
/// comes.
TEST(ForcedWords, StandBeforeAnEndHoweverUnlikely) {
  const OneStep free(two_beams({{{2}}}));  // the prompt has it
  EXPECT_EQ(free.group.finished().sequences().size(), 1u);
  EXPECT_EQ(free.group.beams()[1].tokens.back(), 1);
  const OneStep forced(two_beams({{{2, 2}}}));
  EXPECT_TRUE(forced.group.finished().sequences().empty());
  EXPECT_EQ(forced.group.beams()[0].tokens.back(), 2);
  EXPECT_EQ(forced.group.beams()[1].tokens.back(), 0);
}

/// Defect: a text without its words is returned although enough have them, or is lost if not.
TEST(ForcedWords, MayBeMissingWhereTooFewTextsHaveThem) {
  for (const std::int32_t returned : {1, 2}) {
    DecoderOptions options = two_beams({{{2, 2}}});
    options.search->num_return_sequences = returned;
    OneStep step(options);
    step.group.finish(StopReason::length);
    const auto& found = step.group.finished().sequences();
    ASSERT_EQ(found.size(), static_cast<std::size_t>(returned));
    EXPECT_EQ(found[0].ids, std::vector<Token>{2});
  }
}

ModelInfo ten_tokens() {
  ModelInfo info;
  info.name = "small";
  info.vocab_size = 10;
  return info;
}

template <typename Check>
void expect_words_refused(const Check& check, const std::string& text) {
  try {
    check();
    ADD_FAILURE() << "taken, although " << text;
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

/// Defect: a word that the library refuses, or that breaks the search, gets through.
TEST(ForcedWords, AreRefusedWhereTheyAreNone) {
  for (const auto& [words, text] :
       {std::pair{Words{{}}, "a word without tokens"},
        {Words{{{}}}, "a word without tokens"},
        {Words{{{3}, {10}}}, "has 10; allowed: 0 to 9"},
        {Words{{{5, 6}, {5}}}, "the form [5, 6] of a word begins with its form [5]"},
        {Words{{{5}, {5}}}, "begins with its form [5]"}})
    expect_words_refused([&] { check_forced_words(*two_beams(words).search, ten_tokens()); }, text);
  DecoderOptions drawn = two_beams({{{5}}});
  check_forced_words(*drawn.search, ten_tokens());
  drawn.search->do_sample = true;
  expect_words_refused([&] { check_forced_words(*drawn.search, ten_tokens()); },
                       "do_sample = true");
}

/// Defect: a search for words that cannot come, or a refusal although the prompt has them.
TEST(ForcedWords, AreRefusedWhereTheyCannotCome) {
  DecoderOptions options = two_beams({{{5, 6, 7}, {8, 9}}, {{4}}});
  options.stop.max_new_tokens = 2;
  const auto check = [&](std::vector<Token> prompt) {
    return [&options, prompt] { check_room_for_words(options, prompt); };
  };
  expect_words_refused(check({1}), "take 3 tokens; allowed: max_new_tokens = 2");
  check({1, 4})();
  check({4, 5})();
  options.sampling.suppress_tokens = {6};
  expect_words_refused(check({4, 5}), "take 3 tokens");
  check({4})();
  options.sampling.rules.bad_words_ids = {{8, 9}};
  expect_words_refused(check({4}), "the word [[5, 6, 7], [8, 9]] is forbidden");
  check({4, 5, 6})();
  options.sampling.rules.bad_words_ids = {{4}};
  expect_words_refused(check({1}), "forbidden");
}

}  // namespace
}  // namespace speclab::engines
