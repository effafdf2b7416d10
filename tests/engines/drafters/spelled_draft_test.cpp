
#include <gtest/gtest.h>

#include "engines/drafters/retokenized_text.h"
#include "tests/engines/drafters/string_tokenizer.h"

namespace speclab::engines {
namespace {

using testing::StringTokenizer;
using Tokens = std::vector<Token>;

const StringTokenizer& letters() {
  static const StringTokenizer tokenizer({"a", "b", "ab", "ba", "bb"});
  return tokenizer;
}

/// Defect: a token that reaches over the border to what stands is drafted, or the border's bytes
/// are drafted twice.
TEST(SpelledBehind, SpellsTheTextAndNothingBeforeIt) {
  EXPECT_EQ(spelled_behind(letters(), Tokens{3}, "ab", 0), (Tokens{2}));
  // "a" and "b" would be one token
  EXPECT_EQ(spelled_behind(letters(), Tokens{0}, "bb", 0), (Tokens{4}));
  EXPECT_EQ(spelled_behind(letters(), Tokens{0}, "b", 0), (Tokens{1}));
}

/// Defect: tokens that spell another text than the draft's are proposed.
TEST(SpelledBehind, IsEmptyWhereTheTextCannotBeSpelled) {
  EXPECT_EQ(spelled_behind(letters(), Tokens{0}, "bc", 0), Tokens());
  EXPECT_EQ(spelled_behind(letters(), Tokens{0}, "", 0), Tokens());
}

/// Defect: half a character is handed to a tokenizer.
TEST(WithoutUnfinished, LeavesWholeCharacters) {
  EXPECT_EQ(without_unfinished("a\xC3\xA4"), "a\xC3\xA4");
  EXPECT_EQ(without_unfinished("a\xC3"), "a");
  EXPECT_EQ(without_unfinished("a\xF0\x9F\x98"), "a");
  EXPECT_EQ(without_unfinished("a\x98"), "a\x98") << "no character can be made of it";
}

}  // namespace
}  // namespace speclab::engines
