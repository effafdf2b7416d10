#include "engines/drafters/suffix_automaton.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/engines/drafters/slow_lookup.h"

namespace speclab::engines {
namespace {

using Tokens = std::vector<Token>;

/// Compares after every token, for ends of at most 1, 2, 3, 7 and 64 tokens.
void expect_the_slow_matches(const Tokens& text, const char* what) {
  for (const std::size_t longest : {1, 2, 3, 7, 64}) {
    SuffixAutomaton automaton(longest);
    Tokens sofar;
    for (const Token token : text) {
      automaton.push_back(token);
      sofar.push_back(token);
      const testing::SlowMatch slow = testing::slow_match(sofar, longest);
      ASSERT_EQ(automaton.match().length, slow.length)
          << what << " after " << sofar.size() << " tokens, at most " << longest;
      if (slow.length > 0)
        ASSERT_EQ(automaton.match().end, slow.end)
            << what << " after " << sofar.size() << " tokens, at most " << longest;
    }
    EXPECT_EQ(automaton.tokens(), text);
  }
}

TEST(SuffixAutomaton, FindsWhatAScanFindsInRandomTexts) {
  std::mt19937 random(1);
  for (const unsigned alphabet : {2, 3, 10, 1000})
    for (int trial = 0; trial < 8; ++trial) {
      Tokens text;
      for (int i = 0; i < 250; ++i) text.push_back(static_cast<Token>(random() % alphabet));
      expect_the_slow_matches(text, "random");
    }
}

TEST(SuffixAutomaton, FindsWhatAScanFindsInRepetitiveTexts) {
  std::mt19937 random(2);
  expect_the_slow_matches(Tokens(300, 7), "one token");
  for (unsigned period = 2; period < 12; ++period) {
    Tokens text;
    for (unsigned i = 0; i < 250; ++i)
      text.push_back(random() % 40 == 0 ? 99 : static_cast<Token>(i % period / 2));
    expect_the_slow_matches(text, "periodic");
  }
}

TEST(SuffixAutomaton, FindsWhatAScanFindsInCopiesOfItself) {
  std::mt19937 random(3);
  Tokens text{1, 2, 3, 1, 2};
  while (text.size() < 300) {
    const std::size_t begin = random() % text.size(), length = 1 + random() % 20;
    for (std::size_t i = begin; i < std::min(begin + length, text.size()); ++i)
      text.push_back(text[i]);
    if (random() % 3 == 0) text.push_back(static_cast<Token>(random() % 4));
  }
  expect_the_slow_matches(text, "copies");
}

TEST(SuffixAutomaton, FindsWhatAScanFindsInFibonacciWords) {
  Tokens text{0}, before{1};
  while (text.size() < 300) {
    const Tokens longer = [&] {
      Tokens both = text;
      both.insert(both.end(), before.begin(), before.end());
      return both;
    }();
    before = text;
    text = longer;
  }
  expect_the_slow_matches(text, "Fibonacci");
}

TEST(SuffixAutomaton, IsEmptyAfterClearing) {
  SuffixAutomaton automaton(3);
  for (const Token token : {1, 2, 1, 2}) automaton.push_back(token);
  automaton.clear();
  automaton.push_back(2);
  EXPECT_EQ(automaton.match().length, 0u);
  EXPECT_EQ(automaton.tokens(), Tokens{2});
}

}  // namespace
}  // namespace speclab::engines
