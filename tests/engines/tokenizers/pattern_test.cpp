#include "engines/tokenizers/pattern.h"

#include <gtest/gtest.h>

#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

std::vector<std::string> matches(const char* oniguruma, const std::string& text) {
  std::string problem;
  const auto pattern = Pattern::from_file(oniguruma, problem);
  if (!pattern) return {"refused: " + problem};
  std::vector<std::string> found;
  pattern->visit_matches(text, [&](std::size_t begin, std::size_t end) {
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
    for (const char* part : {"'.*.*Z|.'", "3000 bytes", "allowed: patterns that match in 100000"})
      EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace speclab::engines
