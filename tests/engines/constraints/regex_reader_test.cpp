#include "engines/constraints/expression.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/engines/constraints/slow_matcher.h"

namespace speclab::engines {
namespace {

std::string refusal_of(std::string_view regex) {
  try {
    read_regex(regex, RegexUse::whole_text, "it");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "taken";
}

bool matches(std::string_view regex, std::string_view text, RegexUse use) {
  return testing::matches_slowly(read_regex(regex, use, "it"), text);
}

/// Defect: an unsupported sign that is read as something else, or refused at a wrong place.
TEST(RegexReader, RefusesTheRestWithItsPlace) {
  const std::pair<const char*, const char*> cases[] = {{"ab(?=c)", "(? at character 3"},
                                                       {"a(?<n>b)", "(? at character 2"},
                                                       {"(a)\\1", "back-reference"},
                                                       {"a\\b", "escape \\b at character 2"},
                                                       {"ab*?", "character 4"},
                                                       {"a**", "character 3"},
                                                       {"*a", "character 1"},
                                                       {"a|{2}", "character 3"},
                                                       {"a{,2}", "a { without a number"},
                                                       {"a{3,2}", "wrong number of repetitions"},
                                                       {"a{1", "wrong number"},
                                                       {"(a", "does not end"},
                                                       {"a)", "character 2"},
                                                       {"[a", "class that does not end"},
                                                       {"[]", "empty class"},
                                                       {"[b-a]", "does not rise"},
                                                       {"[[:digit:]]", "named class"},
                                                       {"a^b", "anchor at character 2"},
                                                       {"(a$)", "anchor at character 3"},
                                                       {"a\\", "end of the expression"},
                                                       {"\\xg0", "no hexadecimal"},
                                                       {"\\ud800", "no character"},
                                                       {"\xff", "no valid UTF-8"}};
  for (const auto& [regex, part] : cases)
    EXPECT_NE(refusal_of(regex).find(part), std::string::npos)
        << regex << ": " << refusal_of(regex);
}

TEST(RegexReader, LimitsDepthAndLength) {
  const std::string deep = std::string(101, '(') + std::string(101, ')');
  EXPECT_NE(refusal_of(deep).find("groups within groups"), std::string::npos);
  EXPECT_NE(refusal_of(std::string(kMostRegexBytes + 1, 'a')).find("bytes"), std::string::npos);
}

/// Defect: an open number of repetitions is the least one, or a closed one is open.
TEST(RegexReader, RepeatsAsOftenAsItSays) {
  const std::pair<const char*, std::vector<int>> cases[] = {{"a{2,}", {2, 3, 4, 5}},
                                                            {"a{2}", {2}},
                                                            {"a{1,3}", {1, 2, 3}},
                                                            {"a{0,1}", {0, 1}},
                                                            {"a*", {0, 1, 2, 3, 4, 5}},
                                                            {"a+", {1, 2, 3, 4, 5}},
                                                            {"a?", {0, 1}}};
  for (const auto& [regex, counts] : cases)
    for (int count = 0; count <= 5; ++count)
      EXPECT_EQ(
          matches(regex, std::string(static_cast<std::size_t>(count), 'a'), RegexUse::whole_text),
          std::ranges::find(counts, count) != counts.end())
          << regex << " " << count;
}

TEST(RegexReader, ReadsEscapesAndAnchors) {
  EXPECT_TRUE(
      matches("^\\x41\\u00e9\\u{1F600}\\.\\n$", "A\u00e9\U0001F600.\n", RegexUse::whole_text));
  EXPECT_TRUE(matches("[\\]\\\\^-]{4}", "]\\^-", RegexUse::whole_text));
  EXPECT_FALSE(matches("\\S", " ", RegexUse::whole_text));
}

/// Defect: a pattern of a schema that has to match the whole string; an anchor that holds for all
/// alternatives.
TEST(RegexReader, LooksAnywhereWithoutAnchors) {
  EXPECT_TRUE(matches("b", "abc", RegexUse::schema_pattern));
  EXPECT_FALSE(matches("^b", "abc", RegexUse::schema_pattern));
  EXPECT_TRUE(matches("^b|c$", "abc", RegexUse::schema_pattern));
  EXPECT_FALSE(matches("^a$|d", "abc", RegexUse::schema_pattern));
  EXPECT_FALSE(matches("b", "abc", RegexUse::whole_text));
}

}  // namespace
}  // namespace speclab::engines
