#include "engines/constraints/automaton.h"

#include <gtest/gtest.h>

#include <functional>
#include <regex>

#include "engines/constraints/expression.h"
#include "sim/system/errors.h"
#include "tests/engines/constraints/slow_matcher.h"

namespace speclab::engines {
namespace {

Expression expression_of(std::string_view regex) {
  return read_regex(regex, RegexUse::whole_text, "a test");
}

/// Calls `look` with every text of up to `length` characters of an alphabet.
void for_each_text(const std::vector<std::string>& alphabet, std::size_t length,
                   const std::function<void(const std::string&)>& look,
                   const std::string& begin = "") {
  look(begin);
  if (length == 0) return;
  for (const std::string& one : alphabet) for_each_text(alphabet, length - 1, look, begin + one);
}

/// Defect: a repetition that is one too short or too long, an alternative that is lost, a class
/// that is not closed under negation.
TEST(Automaton, AgreesWithTheStandardLibrary) {
  for (const char* text :
       {"",         "a",       "ab|ba",  "(a|b)*",   "a{2}",       "a{1,3}b?",         "(ab){2,}",
        "[^a]+",    "[a-b]c*", ".",      "(a|bc)*b", "a|b|",       "(?:a?b){0,2}c",    "\\w\\d?",
        "[\\d]+|a", "\\D\\S",  "(a*)*b", "()a",      "[a\\-c]{2}", "((a|b)(b|c)){1,2}"}) {
    const Automaton automaton(expression_of(text), "a test");
    const std::regex standard(text);
    for_each_text({"a", "b", "c", "1", "-"}, 5, [&](const std::string& one) {
      EXPECT_EQ(automaton.matches(one), std::regex_match(one, standard)) << text << " on " << one;
    });
  }
}

/// Defect: a character's bytes are taken for characters; a range that is cut wrongly where
/// encodings grow.
TEST(Automaton, ReadsCharactersByTheirBytes) {
  const std::vector<std::string> alphabet{"a",      "\x7f",   "\u0080", "\u07ff",     "\u0800",
                                          "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010ffff"};
  for (const char* text : {".", "[^a]", "[\\u{80}-\\u{800}]{2}", "[\\u07ff-\\u{10000}]",
                           "\u0080|\\uffff.", "[\\x7f-\\u{d7ff}\\u{10ffff}]*"}) {
    const Expression expression = expression_of(text);
    const Automaton automaton(expression, "a test");
    for_each_text(alphabet, 2, [&](const std::string& one) {
      EXPECT_EQ(automaton.matches(one), testing::matches_slowly(expression, one))
          << text << " on " << one;
    });
  }
}

/// Defect: overlong forms, surrogates or single bytes of a character pass.
TEST(Automaton, RefusesWhatIsNoUtf8) {
  const Automaton any(expression_of("(.|\n)*"), "a test");
  EXPECT_TRUE(any.matches("a\u00e9\n"));
  for (const char* bytes :
       {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff"})
    EXPECT_FALSE(any.matches(bytes)) << static_cast<int>(bytes[0]);
}

/// Defect: a mask that leads into a way without an end.
TEST(Automaton, HasNoWayWithoutAnEnd) {
  const Expression dead = Expression::choice(
      {Expression::literal("a"),
       Expression::sequence({Expression::literal("bb"), Expression::choice({})})});
  const Automaton automaton(dead, "a test");
  EXPECT_NE(automaton.after(automaton.start(), "a"), Automaton::kNoState);
  EXPECT_EQ(automaton.after(automaton.start(), "b"), Automaton::kNoState);
  EXPECT_THROW(Automaton(Expression::choice({}), "a test"), ConfigError);
}

/// Defect: a constraint that takes all memory, or a repetition of nothing that takes all time.
TEST(Automaton, RefusesWhatIsTooLarge) {
  for (const char* text :
       {"a{100000}{100000}", "(){100000}{100000}", "(a|b)*a(a|b){20}", ".{40000}"})
    EXPECT_THROW(Automaton(expression_of(text), "a test"), ConfigError) << text;
}

}  // namespace
}  // namespace speclab::engines
