
#include <gtest/gtest.h>

#include "engines/drafters/prompt_matches.h"
#include "tests/engines/drafters/drafting.h"

namespace speclab::engines {
namespace {

TEST(CopyRecord, ALongerSuffixIsTrustedMoreBeforeAnythingIsKnown) {
  const CopyRecord record;
  for (std::size_t suffix = 1; suffix < 10; ++suffix)
    EXPECT_LE(record.expected(suffix), record.expected(suffix + 1)) << suffix;
  EXPECT_EQ(record.expected(10), record.expected(1000));
  EXPECT_LT(record.expected(1000), 1);
}

/// Eight copies of the text weigh as much as what was known before: 0.45 of 8, and 6 of 8.
TEST(CopyRecord, TheTextsOwnCopiesCountByLength) {
  CopyRecord record;
  for (int i = 0; i < 8; ++i) record.add(2, i < 6);
  EXPECT_DOUBLE_EQ(record.expected(2), (8 * 0.45 + 6) / 16);
  EXPECT_DOUBLE_EQ(record.expected(3), CopyRecord().expected(3));
}

class Copies : public ::testing::Test {
 protected:
  /// Of the next token after a text whose first `prompt_length` tokens are its prompt.
  double expected(std::vector<Token> tokens, std::int32_t prompt_length, std::size_t depth = 0) {
    const Sequence sequence = read(std::move(tokens), prompt_length);
    return matches_.expected(sequence, depth);
  }

  Sequence read(std::vector<Token> tokens, std::int32_t prompt_length) {
    Sequence sequence = testing::sequence_of(std::move(tokens));
    sequence.prompt_length = prompt_length;
    matches_.continuation(sequence);
    return sequence;
  }

 private:
  PromptMatches matches_{DrafterOptions{.kind = "lookup_ngram"}};
};

/// Before the end, 5 stood twice behind an earlier 5: where 6 came the copy was true, where 7 came
/// it was not.
TEST_F(Copies, CountEveryPlaceOfTheTextThatWasEmitted) {
  CopyRecord record;
  record.add(1, true);
  record.add(2, false);
  EXPECT_DOUBLE_EQ(expected({5, 6, 1, 5, 6, 7, 5}, 3), record.expected(1));
}

TEST_F(Copies, DoNotCountTheirPrompt) {
  EXPECT_DOUBLE_EQ(expected({5, 6, 1, 5, 6, 7, 5}, 7), CopyRecord().expected(1));
}

TEST_F(Copies, GrowLongerWithTheDraft) {
  EXPECT_DOUBLE_EQ(expected({5, 6, 7, 5}, 4, 2), CopyRecord().expected(3));
}

/// Another text in the same place of a batch begins anew.
TEST_F(Copies, AreThoseOfOneText) {
  expected({5, 6, 1, 5, 6, 7, 5}, 3);
  EXPECT_DOUBLE_EQ(expected({4, 6, 7, 4}, 4), CopyRecord().expected(1));
}

/// However the text came, a token at a time or whole, the record is the same: laws depend on the
/// text alone.
TEST_F(Copies, DependOnTheTextAlone) {
  const std::vector<Token> text{5, 6, 1, 5, 6, 7, 5, 6, 7, 5, 6};
  for (std::size_t length = 3; length < text.size(); ++length)
    read({text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length)}, 3);
  const double grown = expected(text, 3);
  read({1, 2}, 1);
  EXPECT_DOUBLE_EQ(grown, expected(text, 3));
}

}  // namespace
}  // namespace speclab::engines
