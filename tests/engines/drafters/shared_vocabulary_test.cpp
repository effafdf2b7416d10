#include "engines/interface/shared_vocabulary.h"

#include <gtest/gtest.h>

#include "tests/engines/drafters/string_tokenizer.h"

namespace speclab::engines {
namespace {

using testing::StringTokenizer;

constexpr Token kNone = SharedVocabulary::kNone;

/// Defect: tokens are paired by their ids, or one token has two counterparts.
TEST(SharedVocabulary, PairsTokensOfTheSameBytesOnce) {
  const StringTokenizer drafter({"b", "ab", "a", "a", "c"}), target({"a", "b", "b", "abc"});
  const SharedVocabulary shared(drafter, target);
  EXPECT_EQ(shared.size(), 2);
  EXPECT_EQ(shared.to_target(0), 1);
  EXPECT_EQ(shared.to_target(2), 0);
  EXPECT_EQ(shared.to_draft(0), 2);
  for (const Token token : {1, 3, 4, 5, -1}) EXPECT_EQ(shared.to_target(token), kNone) << token;
  for (const Token token : {2, 3, 4, -1}) EXPECT_EQ(shared.to_draft(token), kNone) << token;
  EXPECT_EQ(shared.draft_tokens(), (std::vector<Token>{0, 2}));
}

/// Defect: the byte token of a character is taken for shared, which no text holds, and the token
/// of the character itself is not.
TEST(SharedVocabulary, PairsTheTokenThatIsWritten) {
  const StringTokenizer bytes_first({"a", "b", "a", "ab"}, true), other({"b", "a"});
  const SharedVocabulary drafted(bytes_first, other), reversed(other, bytes_first);
  EXPECT_EQ(drafted.to_target(2), 1);
  EXPECT_EQ(drafted.to_target(0), kNone);
  EXPECT_EQ(drafted.to_draft(1), 2);
  EXPECT_EQ(reversed.to_target(1), 2);
  EXPECT_EQ(reversed.to_draft(0), kNone);
}

/// Defect: a special token is taken for the plain text of the same letters, or ends that are
/// spelled differently are not paired.
TEST(SharedVocabulary, PairsSpecialTokensByTextAndEndsByMeaning) {
  const StringTokenizer drafter({"<end>", "<s>", "a"}), target({"<s>", "a", "<eos>"});
  const SharedVocabulary shared(drafter, target);
  EXPECT_EQ(shared.to_target(1), 0) << "the same text comes first, although it ends the target";
  EXPECT_EQ(shared.to_target(0), kNone);
  const StringTokenizer other({"a", "<eos>"});
  EXPECT_EQ(SharedVocabulary(drafter, other).to_target(0), 1);
}

}  // namespace
}  // namespace speclab::engines
