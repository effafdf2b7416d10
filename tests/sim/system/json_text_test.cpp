#include "sim/system/json_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace speclab {
namespace {

using Json = nlohmann::json;

/// Defect: brackets in strings count, or an escaped quote ends a string.
TEST(JsonDepth, CountsListsAndObjectsOutsideStrings) {
  const std::pair<const char*, int> cases[] = {{"3", 0},
                                               {"[]", 1},
                                               {R"({"a":[{}],"b":[]})", 3},
                                               {R"(["[[[[",{"{{":"\"[["}])", 2},
                                               {R"(["\\",[[]]])", 3},
                                               {"[[\"", 2},
                                               {"\"\\", 0}};
  for (const auto& [text, depth] : cases) EXPECT_EQ(json_depth(text), depth) << text;
}

/// Defect: a number that becomes another one passes, or one that a double holds does not.
TEST(RoundedNumbers, AreThoseThatTheLibraryChanges) {
  for (const char* number :
       {"18446744073709551615", "-9223372036854775808", "0.1", "1.50", "1e22", "-2.5E-3", "0.0",
        "0.12345678901234568", "100.0e-2", "\"18446744073709551616\"", "-", "2024-01-01", ""})
    EXPECT_TRUE(rounded_numbers(number).empty()) << number;
  for (const char* number :
       {"18446744073709551616", "-9223372036854775809", "12345678901234567890123.5",
        "0.12345678901234567890123", "1e-400", "-2.5e-999"}) {
    const auto found = rounded_numbers(std::string(R"({"a":[1,)") + number + "]}");
    ASSERT_EQ(found.size(), 1u) << number;
    EXPECT_EQ(found.begin()->second, number);
    EXPECT_EQ(found.begin()->first, Json::parse(number).get<double>());
  }
}

/// Defect: the printer calls itself once a level, or prints a large value to its end.
TEST(ShownJson, IsCutAndNeverOverflows) {
  EXPECT_EQ(shown_json(Json::parse(R"({"a":[1,"\n",null],"b":{}})")),
            R"({"a":[1,"\n",null],"b":{}})");
  Json deep = Json::array();
  for (int i = 0; i < 200'000; ++i) deep = Json::array({std::move(deep)});
  EXPECT_EQ(shown_json(deep, 10), "[[[[[[[[[[...");
  EXPECT_EQ(shown_json(Json(std::string(1 << 20, 'x')), 4), "\"xxx...");
  EXPECT_EQ(shown_json(Json("\xc3\xa9")), R"("\u00e9")");
  EXPECT_EQ(shown_json(Json::parse("[1,2,3]"), 7), "[1,2,3]");
}

TEST(ParsedOrDiscarded, DiscardsWhatIsNoJsonOrTooDeep) {
  EXPECT_EQ(parsed_or_discarded<Json>("[1]"), Json::array({1}));
  EXPECT_TRUE(parsed_or_discarded<Json>("[1").is_discarded());
  const std::string deep = std::string(101, '[') + std::string(101, ']');
  EXPECT_TRUE(parsed_or_discarded<Json>(deep).is_discarded());
}

}  // namespace
}  // namespace speclab
