#include "engines/tokenizers/pattern.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

std::vector<std::string> matches(const char* oniguruma, const std::string& text) {
  std::string problem;
  const auto pattern = Pattern::from_file(oniguruma, problem);
  if (!pattern) return {"refused: " + problem};
  std::vector<std::string> found;
  PatternSteps steps(text.size());
  pattern->visit_matches(text, steps, [&](std::size_t begin, std::size_t end) {
    found.push_back(text.substr(begin, end - begin));
  });
  return found;
}

using Texts = std::vector<std::string>;

/// Defect: a class of Oniguruma's means what PCRE2 takes the same letters for.
TEST(Pattern, ReadsTheClassesOfOniguruma) {
  EXPECT_EQ(matches(R"(\s)", "a\u180e\u3000"), Texts{"\u3000"}) << "U+180E is no white space";
  EXPECT_EQ(matches(R"([^\s]+)", "a\u0085b"), (Texts{"a", "b"}));
  EXPECT_EQ(matches(R"([\S\n]+)", "a\nb c"), (Texts{"a\nb", "c"}));
  EXPECT_EQ(matches(R"(\h+)", "xyfF0z"), Texts{"fF0"}) << "\\h is a hexadecimal digit";
  EXPECT_EQ(matches(R"(\w+)", "e\u0301_\u2160 \u24b6!"), (Texts{"e\u0301_\u2160", "\u24b6"}));
  EXPECT_EQ(matches(R"(\W+)", "a!?b"), Texts{"!?"});
  EXPECT_EQ(matches(R"([^\w\s]+)", "a !?b"), Texts{"!?"});
  EXPECT_EQ(matches(R"(\d)", "1\u0663\u00bd"), (Texts{"1", "\u0663"}));
  EXPECT_EQ(matches(R"(\u00e9)", "e\u00e9"), Texts{"\u00e9"});
  EXPECT_EQ(matches("a$", "a\nba"), (Texts{"a", "a"})) << "$ is the end of a line";
}

/// Defect: sets inside sets are read as letters.
TEST(Pattern, ReadsSetsInsideSetsAndIntersections) {
  EXPECT_EQ(matches(R"([a[bc]]+)", "xabcx"), Texts{"abc"});
  EXPECT_EQ(matches(R"([\p{L}&&[^\p{Han}]]+)", "ab\u4e2dc"), (Texts{"ab", "c"}));
  EXPECT_EQ(matches(R"([a-z&&[^aeiou]&&[^x]]+)", "abcxd"), (Texts{"bc", "d"}));
  EXPECT_EQ(matches(R"([]a]+)", "]a"), Texts{"]a"}) << "a bracket in the first place is a letter";
}

/// Defect: what cannot be expressed is expressed wrongly.
TEST(Pattern, RefusesWhatPcre2CannotSay) {
  for (const char* pattern :
       {R"([\Wa])", R"([a[^b]c])", R"([^a&&b])", "[a", R"(\Qa\E)", R"(\u12)", "(a", R"([[:alpha)"})
    EXPECT_TRUE(matches(pattern, "a").at(0).starts_with("refused: ")) << pattern;
  EXPECT_TRUE(matches(std::string(70'000, 'a').c_str(), "a").at(0).starts_with("refused: more"));
}

/// Defect: a pattern of brackets alone overflows the stack, or a set that is the whole of another
/// one loses its brackets.
TEST(Pattern, BoundsSetsInsideEachOther) {
  EXPECT_EQ(matches(std::string(60'000, '[').c_str(), "a"),
            Texts{"refused: more than 50 sets inside each other"});
  const auto nested = [](std::size_t sets) {
    return std::string(sets, '[') + "a" + std::string(sets, ']');
  };
  EXPECT_EQ(matches(nested(51).c_str(), "[a]"), Texts{"a"});
  EXPECT_TRUE(matches(nested(52).c_str(), "a").at(0).starts_with("refused: more than 50"));
  EXPECT_EQ(matches("[^[a]]", "ab"), Texts{"b"});
  EXPECT_EQ(matches("[b\x01]+", "b\x01]"), Texts{"b\x01"});
}

/// Defect: a match of nothing stops the walk, counts twice, or goes on for ever.
TEST(Pattern, PassesEmptyMatches) {
  EXPECT_EQ(matches("x*", "axb"), (Texts{"", "x", ""})) << "none right behind another match";
  EXPECT_EQ(matches("(?=b)", "abb"), (Texts{"", ""}));
}

/// Defect: an expression from a file takes time or memory without bound.
TEST(Pattern, EndsAfterSomeSteps) {
  const std::string text = std::string(100, 'a') + "b";
  EXPECT_THROW(matches("(a+)+$", text), ModelFileError);
  EXPECT_THROW(matches("(a|aa)+$", text), ModelFileError);
  EXPECT_EQ(matches("(?:a|b)+", std::string(300'000, 'a')).size(), 1U)
      << "a stack of some megabytes is allowed";
}

/// Defect: each match stays below the limit of steps, and all of them in a text take hours.
TEST(Pattern, CountsTheStepsOfAllMatchesInAText) {
  EXPECT_EQ(matches(".*.*Z|.", std::string(20, 'a')).size(), 20U);
  EXPECT_THROW(matches(R"(\s+$|x)", std::string(20'000, ' ') + "a"), ModelFileError)
      << "the places of a text where nothing matches count too";
  try {
    matches(".*.*Z|.", std::string(3000, 'a'));
    FAIL() << "taken";
  } catch (const ModelFileError& error) {
    const std::string message = error.what();
    for (const char* part : {"'.*.*Z|.'", "3000 bytes", "allowed: 20000000 steps"})
      EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

/// Defect: every pattern and every piece of a text has an allowance of its own.
TEST(Pattern, SharesTheStepsOfATextWithOthers) {
  std::string problem;
  const auto pattern = Pattern::from_file(R"(\s+$|x)", problem);
  const std::string text = std::string(2000, ' ') + "a";
  PatternSteps steps(text.size());
  const auto walk = [&](int times) {
    while (times-- > 0) pattern->visit_matches(text, steps, [](std::size_t, std::size_t) {});
  };
  EXPECT_NO_THROW(walk(1));
  EXPECT_THROW(walk(20), ModelFileError);
}

/// Defect: characters that an item passes without trying another one cost nothing.
TEST(Pattern, CountsTheCharactersThatItPasses) {
  EXPECT_THROW(matches("[a-z]++[01]", std::string(20'000, 'a')), ModelFileError);
  EXPECT_THROW(matches("[a-z]{20000}[01]", std::string(30'000, 'a')), ModelFileError);
  EXPECT_THROW(matches(R"((a*)\1\1[01])", std::string(20'000, 'a')), ModelFileError);
}

/// Defect: patterns of models in use do not get through a text of a megabyte.
TEST(Pattern, LeavesEnoughStepsForARealText) {
  std::string text;
  while (text.size() < 1'000'000)
    text +=
        "The 3 caf\u00e9s cost \u20ac4.50, don't they?\n    if (x_1 != 0x2F) { return \"AB\"; }\n"
        "\u4e2d\u6587\u3042 \u041c\u043e\u0441\u043a\u0432\u0430 1234567890\n\n";
  PatternSteps steps(text.size());
  for (const char* regex :
       {R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)", "[\u4e00-\u9fa5\u0800-\u4e00]+", R"(\p{N})",
        R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
        R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+)"
        R"(|\s+(?!\S)|\s+)"}) {
    std::string problem;
    const auto pattern = Pattern::from_file(regex, problem);
    ASSERT_TRUE(pattern) << problem;
    EXPECT_NO_THROW(pattern->visit_matches(text, steps, [](std::size_t, std::size_t) {})) << regex;
  }
}

}  // namespace
}  // namespace speclab::engines
