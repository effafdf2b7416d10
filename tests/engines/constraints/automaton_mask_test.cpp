#include "engines/constraints/automaton_mask.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engines/interface/text_constraint.h"
#include "sim/system/errors.h"
#include "tests/engines/constraints/word_tokenizer.h"

namespace speclab::engines {
namespace {

using testing::WordTokenizer;

std::shared_ptr<const TokenMask> mask_of(const char* regex,
                                         const std::shared_ptr<WordTokenizer>& tokenizer,
                                         std::int32_t size) {
  return regex_constraint(regex)->mask({.tokenizer = tokenizer, .size = size});
}

std::vector<Token> allowed(const TokenMask& mask, const std::vector<Token>& text) {
  std::vector<Token> tokens;
  const std::vector<bool>& all = mask.allowed(text).tokens;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i]) tokens.push_back(static_cast<Token>(i));
  return tokens;
}

using Tokens = std::vector<Token>;

/// Defect: an end before the text is whole, a token that begins well and goes on wrongly, a row of
/// the model without a token.
TEST(AutomatonMask, AllowsWhatTheAutomatonReads) {
  const auto words = std::make_shared<WordTokenizer>(
      std::vector<std::string>{"</s>", "a", "ab", "abc", "b", "bc", "c"});
  const auto mask = mask_of("a(b|bcc)?", words, 9);
  EXPECT_EQ(allowed(*mask, {}), (Tokens{1, 2, 3}));
  EXPECT_EQ(allowed(*mask, {1}), (Tokens{0, 4, 5}));
  EXPECT_EQ(allowed(*mask, {2}), (Tokens{0, 6}));
  EXPECT_EQ(allowed(*mask, {3}), (Tokens{6}));
  EXPECT_EQ(mask->allowed(Tokens{3}).forced, std::optional<Token>(6));
  EXPECT_FALSE(mask->allowed(Tokens{2}).forced);
  EXPECT_EQ(allowed(*mask, {2, 0}), (Tokens{0})) << "behind an end";
  EXPECT_TRUE(mask->allowed(Tokens{2, 0}).has_ended);
  EXPECT_EQ(allowed(*mask, {4}).size(), 9u) << "no text of the language";
}

/// Defect: common beginnings of tokens that are read once lose a token or lend it another's state.
TEST(AutomatonMask, AgreesWithOneTokenAfterTheOther) {
  std::vector<std::string> texts{"</s>"};
  for (const char a : std::string("abc"))
    for (const char b : std::string(" abc"))
      for (const char c : std::string(" abc")) {
        texts.push_back(std::string{a, b, c});
        std::erase(texts.back(), ' ');
      }
  const auto words = std::make_shared<WordTokenizer>(texts);
  for (const char* regex : {"(ab|c)*", "a.b?", "[bc]{2,4}a", "abcabc"}) {
    const auto constraint = regex_constraint(regex);
    const auto mask = constraint->mask({.tokenizer = words, .size = words->vocab_size()});
    for (const Token first : allowed(*mask, {})) {
      if (first == 0) continue;
      for (Token next = 1; next < words->vocab_size(); ++next) {
        const auto goes_on = [&](const auto& self, const std::string& text, int left) -> bool {
          if (constraint->matches(text)) return true;
          return left > 0 && (self(self, text + "a", left - 1) ||
                              self(self, text + "b", left - 1) || self(self, text + "c", left - 1));
        };
        EXPECT_EQ(
            mask->allowed(Tokens{first}).tokens[static_cast<std::size_t>(next)],
            goes_on(goes_on,
                    texts[static_cast<std::size_t>(first)] + texts[static_cast<std::size_t>(next)],
                    5))
            << regex << " " << first << " " << next;
      }
    }
  }
}

/// Defect: the blank that a tokenizer drops at the beginning of a text has to match.
TEST(AutomatonMask, SpellsTheFirstTokenAsATextBeginsWithIt) {
  const auto words = std::make_shared<WordTokenizer>(
      std::vector<std::string>{"</s>", " a", "a", " b"}, WordTokenizer::FirstBlank::dropped);
  const auto mask = mask_of("a b", words, 4);
  EXPECT_EQ(allowed(*mask, {}), (Tokens{1, 2}));
  EXPECT_EQ(allowed(*mask, {1}), (Tokens{3}));
}

/// Defect: a vocabulary that cannot spell the text makes a decoder draw from nothing.
TEST(AutomatonMask, SaysThatNoTokenSpellsTheText) {
  const auto words = std::make_shared<WordTokenizer>(std::vector<std::string>{"</s>", "a"});
  const auto mask = mask_of("a\u00e9", words, 2);
  EXPECT_THROW(mask->allowed(Tokens{1}), ConfigError);
  EXPECT_THROW(regex_constraint("a")->mask({.tokenizer = words, .size = 2, .ends = {7}}),
               ConfigError);
  const auto endless = std::make_shared<WordTokenizer>(std::vector<std::string>{"a", "b"});
  EXPECT_THROW(mask_of("a", endless, 2), ConfigError);
}

}  // namespace
}  // namespace speclab::engines
