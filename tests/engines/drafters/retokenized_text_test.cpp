// Texts of one tokenizer in the tokens of another, for tokenizers of every kind.

#include "engines/drafters/retokenized_text.h"

#include <gtest/gtest.h>

#include <random>

#include "engines/drafters/bridges.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "tests/engines/drafters/string_tokenizer.h"

namespace speclab::engines {
namespace {

using Tokens = std::vector<Token>;

std::shared_ptr<const Tokenizer> golden(const std::string& kind) {
  return load_tokenizer_from_folder(std::string(SPECLAB_SOURCE_DIR) + "/tests/golden/tokenizers/" +
                                    kind);
}

/// Characters of one to four bytes, blanks and line ends.
const std::string kText =
    "The bees, na\xC3\xAFve  and \xE8\x9C\x9C\xE8\x9C\x82 \xF0\x9F\x90\x9D!\n\tdef f(x1):\n"
    "    return x1  # \xC2\xBC \xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x94\xAC\n";

struct Pair {
  const char *drafter, *target;
};
class Pairs : public ::testing::TestWithParam<Pair> {};
INSTANTIATE_TEST_SUITE_P(, Pairs,
                         ::testing::Values(Pair{"gemma", "byte_level_o200k"},
                                           Pair{"byte_level_o200k", "gemma"},
                                           Pair{"llama2", "byte_level_prefix"},
                                           Pair{"byte_level_prefix", "llama2"}),
                         [](const auto& named) {
                           return std::string(named.param.drafter) + "_for_" + named.param.target;
                         });

/// Defect: a text that grows token by token loses or doubles bytes at a border, or where a token
/// ends within a character.
TEST_P(Pairs, SpellEveryByteOfAGrowingText) {
  const TokenizerPair pair{golden(GetParam().drafter), golden(GetParam().target)};
  const Tokens all = pair.target->encode(kText, SpecialText::parsed);
  for (const std::size_t look_behind : {std::size_t{0}, std::size_t{2}, kLookBehind}) {
    RetokenizedText text(pair, look_behind);
    for (std::size_t size = 1; size <= all.size(); ++size) {
      const Tokens part(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size));
      text.read(part);
      const std::size_t begin = pair.drafter->roles().before.size();
      const std::string whole(without_unfinished(pair.target->decode(part)));
      EXPECT_EQ(pair.drafter->decode(std::span(text.draft_tokens()).subspan(begin)),
                pair.drafter->decode(pair.drafter->encode(whole, SpecialText::parsed)))
          << size << " tokens, look behind " << look_behind;
      EXPECT_EQ(whole + text.pending(), pair.target->decode(part));
    }
  }
}

/// Defect: the begin of one tokenizer stays in the text as letters, or that of the other is
/// missing.
TEST(RetokenizedText, ChangesTheBeginOfTexts) {
  const TokenizerPair pair{golden("gemma"), golden("llama2")};
  RetokenizedText text(pair, 0);
  text.read(pair.target->encode_whole("Bees"));
  EXPECT_EQ(text.draft_tokens(), pair.drafter->encode_whole("Bees"));
}

/// Defect: a draft's text changes on its way to the target.
TEST_P(Pairs, BringDraftsBack) {
  const TokenizerPair pair{golden(GetParam().drafter), golden(GetParam().target)};
  const Tokens standing = pair.target->encode("Bees \xF0\x9F\x90\x9D", SpecialText::parsed);
  for (const std::string draft : {"\n\tna\xC3\xAFve", " and", "s", "\xE8\x9C\x82 x1"})
    for (const std::size_t look_behind : {std::size_t{0}, kLookBehind})
      EXPECT_EQ(
          bytes_of_tokens(*pair.target, spelled_behind(*pair.target, standing, draft, look_behind)),
          draft);
}

/// Defect: the window's first token is kept although the text spells it differently within the
/// whole, or a target's token without a counterpart is left out of the drafter's text.
TEST(RetokenizedText, KeepsTheSpellingOfTheWholeWhereTheWindowShowsIt) {
  const auto drafter = std::make_shared<testing::StringTokenizer>(
      std::vector<std::string>{"a", "b", "c", "ab", "abc"});
  const auto target =
      std::make_shared<testing::StringTokenizer>(std::vector<std::string>{"a", "b", "c", "bca"});
  RetokenizedText text({drafter, target}, 2);
  Tokens standing;
  for (const Token token : {1, 0, 1, 2, 0, 3}) {
    standing.push_back(token);
    text.read(standing);
  }
  EXPECT_EQ(target->decode(standing), "babcabca");
  EXPECT_EQ(text.draft_tokens(), (Tokens{1, 4, 4, 0}));
}

}  // namespace
}  // namespace speclab::engines
