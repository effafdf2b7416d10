#include "engines/tokenizers/pre_tokenizer.h"

#include <gtest/gtest.h>

#include <sstream>

namespace speclab::engines {
namespace {

using Pieces = std::vector<std::string>;

Pieces split(const char* name, std::string_view text) {
  Pieces pieces;
  TextWork work(text.size());
  PreTokenizer(pre_tokenizer_patterns(name)).split(text, true, work, [&](std::string_view piece) {
    pieces.emplace_back(piece);
  });
  return pieces;
}

TEST(PreTokenizer, SmollmTakesDigitsOneByOneAndThenGpt2sPattern) {
  EXPECT_EQ(split("smollm", "I've 123 cats"), (Pieces{"I", "'ve", " ", "1", "2", "3", " cats"}));
  EXPECT_EQ(split("smollm", "a  b"), (Pieces{"a", " ", " b"}));
  EXPECT_EQ(split("smollm", "a  1"), (Pieces{"a", "  ", "1"}))
      << "a digit ends the text for the second step";
  EXPECT_EQ(split("smollm", "x\u0663\u00bd"), (Pieces{"x", "\u0663", "\u00bd"}))
      << "all of Unicode's numbers";
}

TEST(PreTokenizer, Gpt2KeepsNumbersTogether) {
  EXPECT_EQ(split("gpt-2", "I'll pay 123$!\n\n x"),
            (Pieces{"I", "'ll", " pay", " 123", "$!", "\n\n", " x"}));
  EXPECT_EQ(split("gpt-2", "'S"), (Pieces{"'", "S"})) << "contractions are lower-case";
}

TEST(PreTokenizer, LlamaBpeTakesThreeDigitsAndAnyCase) {
  EXPECT_EQ(split("llama-bpe", "I'LL 12345 \n\n x.\n"),
            (Pieces{"I", "'LL", " ", "123", "45", " \n\n", " x", ".\n"}));
  EXPECT_EQ(split("llama-bpe", "(foo"), (Pieces{"(foo"}));
}

TEST(PreTokenizer, Qwen2TakesDigitsOneByOne) {
  EXPECT_EQ(split("qwen2", "a 12"), (Pieces{"a", " ", "1", "2"}));
}

TEST(PreTokenizer, DefaultIsWhatFilesWithoutANameMean) {
  EXPECT_EQ(split("default", "a, 12345!"), (Pieces{"a", ",", " ", "123", "45", "!"}));
}

TEST(PreTokenizer, WhiteSpaceIsUnicodesProperty) {
  EXPECT_EQ(split("gpt-2", "a\u00a0\u3000b"), (Pieces{"a", "\u00a0", "\u3000", "b"}));
  EXPECT_EQ(split("gpt-2", "a\u180e"), (Pieces{"a", "\u180e"}));
  EXPECT_EQ(split("gpt-2", "\u180e!"), (Pieces{"\u180e!"})) << "U+180E is no white space";
}

/// Defect: a pattern of a GGUF name cuts elsewhere than the tokenizer of its models.
TEST(PreTokenizer, KnowsThePatternsOfGgufNames) {
  EXPECT_EQ(split("gpt-4o", "HelloWorld's 1234/\n"),
            (Pieces{"Hello", "World's", " ", "123", "4", "/\n"}));
  EXPECT_EQ(split("tekken", "aB'S 12"), (Pieces{"a", "B", "'S", " ", "1", "2"}));
  EXPECT_EQ(split("kimi-k2", "ab\u4e2d\u6587c"), (Pieces{"ab", "\u4e2d\u6587", "c"}));
  EXPECT_EQ(split("deepseek-v3", "a.b \u3042c 1234"),
            (Pieces{"a", ".b", " ", "\u3042", "c", " ", "123", "4"}));
  EXPECT_EQ(split("deepseek-coder", " ab.\n\n1"), (Pieces{" ab", ".", "\n", "\n", "1"}));
  EXPECT_EQ(split("superbpe", "a 1234567"), (Pieces{"a ", "1", "234", "567"}));
  EXPECT_EQ(split("falcon", "a`b 1234"), (Pieces{"a", "`", "b", " ", "123", "4"}));
  EXPECT_EQ(split("bloom", "a b, c"), (Pieces{"a", " b", ",", " c"}));
  for (const char* name : {"llama3", "llama-v3", "falcon3", "pixtral", "lfm2"})
    EXPECT_TRUE(takes_whole_pieces_first(name) && begins_texts_by_default(name)) << name;
  EXPECT_FALSE(takes_whole_pieces_first("dbrx") || begins_texts_by_default("qwen2"));
}

TEST(PreTokenizer, LosesNothing) {
  const std::string text =
      "The 3 caf\u00e9s\r\n\tcost\u2003\u20ac4.50 \U0001f600\u200d\U0001f600  don't  ";
  std::istringstream names(known_pre_tokenizers());
  int count = 0;
  for (std::string name; names >> name; ++count) {
    std::string joined;
    for (const std::string& piece : split(name.c_str(), text)) joined += piece;
    EXPECT_EQ(joined, text) << name;
  }
  EXPECT_GE(count, 60) << "the names that GGUF files carry";
}

TEST(PreTokenizer, CompletesOnRunsOfAMillionCharacters) {
  for (const char* name : {"smollm", "gpt-2", "llama-bpe", "qwen2", "default"}) {
    for (const char* unit : {"a", " ", "\n", "1", "!", "\u00e9", "\u3000"}) {
      std::string text;
      while (text.size() < 1'000'000) text += unit;
      std::size_t bytes = 0;
      TextWork work(text.size());
      PreTokenizer(pre_tokenizer_patterns(name))
          .split(text, true, work, [&](std::string_view piece) { bytes += piece.size(); });
      EXPECT_EQ(bytes, text.size()) << name << " " << unit;
    }
  }
}

TEST(PreTokenizer, UnknownNamesHaveNoPatterns) {
  EXPECT_TRUE(pre_tokenizer_patterns("no-such").empty());
}

}  // namespace
}  // namespace speclab::engines
