// Numbers of JSON schemas: every short text, compared with its value.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>

#include "engines/constraints/automaton.h"
#include "engines/constraints/json_schema.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

Automaton automaton_of(const std::string& schema) {
  return Automaton(read_json_schema(schema, "a test"), "a test");
}

/// Defect: a bound whose digits are compared place by place wrongly, at either sign.
TEST(JsonNumbers, IntegersLieBetweenTheirBounds) {
  const std::pair<double, double> bounds[] = {{0, 0},       {0, 9},     {1, 10},    {-5, 5},
                                              {-100, -9},   {7, 1234},  {99, 101},  {-1, 0},
                                              {-12.5, 3.5}, {0.5, 1.5}, {-0.5, 0.5}};
  for (const auto& [low, high] : bounds) {
    const Automaton closed =
        automaton_of(fmt::format(R"({{"type":"integer","minimum":{},"maximum":{}}})", low, high));
    const Automaton half_open = automaton_of(
        fmt::format(R"({{"type":"integer","exclusiveMinimum":{},"maximum":{}}})", low - 1, high));
    for (int value = -2000; value <= 2000; ++value) {
      EXPECT_EQ(closed.matches(std::to_string(value)), value >= low && value <= high)
          << value << " in " << low << ", " << high;
      EXPECT_EQ(half_open.matches(std::to_string(value)), value > low - 1 && value <= high)
          << value << " above " << low - 1 << ", to " << high;
    }
  }
}

TEST(JsonNumbers, IntegersAreWrittenInOneWay) {
  const Automaton any = automaton_of(R"({"type":"integer"})");
  for (const char* text : {"0", "7", "-7", "120", "-9999999999"}) EXPECT_TRUE(any.matches(text));
  for (const char* text : {"", "-", "-0", "01", "1.0", "1e3", "+1"})
    EXPECT_FALSE(any.matches(text));
}

/// Whether a text is a number without an exponent, as JSON has it, and not -0.
bool is_plain_number(const std::string& text) {
  const std::size_t begin = text.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string whole = text.substr(begin, point - begin);
  const bool has_fraction = point < text.size();
  const std::string fraction = has_fraction ? text.substr(point + 1) : "0";
  const auto are_digits = [](const std::string& digits) {
    return !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
  };
  return are_digits(whole) && are_digits(fraction) && (whole == "0" || whole[0] != '0') &&
         !(begin == 1 && std::strtod(text.c_str(), nullptr) == 0);
}

void for_each_number_text(std::size_t length, const std::function<void(const std::string&)>& look,
                          const std::string& begin = "") {
  look(begin);
  if (length == 0) return;
  for (const char c : std::string("0129.-")) for_each_number_text(length - 1, look, begin + c);
}

/// Defect: digits behind the point that are missing are taken for more than zeros; a bound that is
/// excluded, and comes back with zeros behind it.
TEST(JsonNumbers, DecimalsLieBetweenTheirBounds) {
  const std::pair<double, double> bounds[] = {{0, 1},      {0.1, 0.2}, {1.2, 1.29}, {-0.1, 0.02},
                                              {-2, -1.01}, {0, 0},     {9.9, 20},   {1, 1.1}};
  for (const auto& [low, high] : bounds)
    for (const char* kind : {"", "exclusive"}) {
      const bool is_strict = *kind != '\0';
      if (is_strict && low == high) continue;
      const Automaton automaton = automaton_of(
          is_strict
              ? fmt::format(R"({{"type":"number","exclusiveMinimum":{},"exclusiveMaximum":{}}})",
                            low, high)
              : fmt::format(R"({{"type":"number","minimum":{},"maximum":{}}})", low, high));
      for_each_number_text(5, [&](const std::string& text) {
        const double value = std::strtod(text.c_str(), nullptr);
        const bool is_between =
            is_strict ? value > low && value < high : value >= low && value <= high;
        EXPECT_EQ(automaton.matches(text), is_plain_number(text) && is_between)
            << text << " in " << low << ", " << high << " " << kind;
      });
    }
}

/// The texts of tests/golden/constraints/number_bounds.py, in its order.
std::vector<std::string> golden_texts() {
  std::vector<std::string> texts{""};
  for (std::size_t begin = 0, length = 1; length <= 4; ++length)
    for (const std::size_t end = texts.size(); begin < end; ++begin)
      for (const char c : std::string("0159.-")) texts.push_back(texts[begin] + c);
  return texts;
}

/// Whether bit `i` of a row is set, four to a digit.
bool has_bit(const std::string& digits, std::size_t i) {
  const std::size_t digit = std::string("0123456789abcdef").find(digits.at(i / 4));
  return (digit >> (3 - i % 4) & 1) != 0;
}

/// Defect: bounds on one side alone, of both kinds on one side, excluded, fractional or negative
/// ones that another program reads otherwise.
TEST(JsonNumbers, AreThoseThatAnotherProgramFindsBetweenTheBounds) {
  std::ifstream rows(SPECLAB_SOURCE_DIR "/tests/golden/constraints/number_bounds.txt");
  const std::vector<std::string> texts = golden_texts();
  int num_rows = 0, num_refused = 0;
  for (std::string row; std::getline(rows, row); ++num_rows) {
    const std::size_t blank = row.rfind(' ');
    const std::string schema = row.substr(0, blank), digits = row.substr(blank + 1);
    if (digits == "refused") {
      EXPECT_THROW(automaton_of(schema), ConfigError) << schema;
      ++num_refused;
      continue;
    }
    const Automaton automaton = automaton_of(schema);
    for (std::size_t i = 0; i < texts.size(); ++i)
      EXPECT_EQ(automaton.matches(texts[i]), has_bit(digits, i)) << texts[i] << " in " << schema;
  }
  EXPECT_GT(num_rows, 300);
  EXPECT_GT(num_refused, 0);
}

TEST(JsonNumbers, HaveExponentsWithoutBounds) {
  const Automaton any = automaton_of(R"({"type":"number"})");
  for (const char* text : {"0", "-0.5", "12.25e+10", "1E9", "-0"}) EXPECT_TRUE(any.matches(text));
  for (const char* text : {".5", "1.", "01", "1e", "NaN"}) EXPECT_FALSE(any.matches(text));
}

TEST(JsonNumbers, AreRefusedWithoutAValue) {
  for (const char* schema :
       {R"({"type":"integer","minimum":3,"maximum":2})",
        R"({"type":"integer","minimum":0.2,"maximum":0.8})",
        R"({"type":"integer","exclusiveMinimum":1,"exclusiveMaximum":2})",
        R"({"type":"number","minimum":1,"exclusiveMaximum":1})",
        R"({"type":"number","minimum":1e30})", R"({"type":"number","minimum":"1"})"})
    EXPECT_THROW(automaton_of(schema), ConfigError) << schema;
}

}  // namespace
}  // namespace speclab::engines
