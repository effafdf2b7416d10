// Schemas of a oneOf: which of them share a value.

#include "engines/constraints/json_schema.h"

#include <gtest/gtest.h>

#include "engines/constraints/automaton.h"
#include "tests/engines/constraints/schema_refusal.h"

namespace speclab::engines {
namespace {

using testing::schema_refusal;

/// A schema of a oneOf, and whether its two schemas share a value.
struct Pair {
  const char *first, *second;
  bool share_a_value;
};

const Pair kPairs[] = {
    {R"({"type":"number"})", R"({"type":"integer"})", true},
    {R"({"type":"integer"})", R"({"type":"string"})", false},
    {R"({"type":["null","integer"]})", R"({"type":["string","number"]})", true},
    {R"({"type":"integer","maximum":3})", R"({"type":"number","exclusiveMinimum":3})", false},
    {R"({"type":"integer","maximum":3})", R"({"type":"number","minimum":3})", true},
    {R"({"type":"number","exclusiveMinimum":3,"minimum":4})", R"({"const":4})", true},
    {R"({"type":"number","exclusiveMinimum":3,"minimum":2})", R"({"const":3})", false},
    {R"({"const":3})", R"({"type":"integer"})", true},
    {R"({"const":3.0})", R"({"type":"integer"})", true},
    {R"({"const":3.5})", R"({"type":"integer"})", false},
    {R"({"enum":["a","b"]})", R"({"enum":["c","b"]})", true},
    {R"({"enum":["a","b"]})", R"({"const":"c"})", false},
    {R"({"const":{"a":1,"b":2}})", R"({"const":{"b":2.0,"a":1}})", true},
    {R"({"type":"string","maxLength":2})", R"({"type":"string","minLength":3})", false},
    {R"({"type":"string","maxLength":3})", R"({"type":"string","minLength":3})", true},
    {R"({"const":"a"})", R"({"type":"string","minLength":2})", false},
    {R"({"const":"\u00e4\u00f6"})", R"({"type":"string","minLength":2})", true},
    {R"({"const":[1]})", R"({"type":"array","items":{"const":1},"minItems":2})", false},
    {R"({"const":{"a":1}})",
     R"({"type":"object","properties":{"b":{"type":"null"}},"required":["b"]})", false},
    {R"({"const":18446744073709551615})", R"({"const":-1})", false},
    {R"({"const":9223372036854775808})", R"({"const":9223372036854775808})", true},
    {R"({"const":2})", R"({"const":2.0})", true},
    {R"({"type":"string","pattern":"a"})", R"({"type":"string","pattern":"b"})", true},
    {R"({"type":"boolean"})", R"({"type":"boolean"})", true},
    {R"({"type":"array","items":{"type":"null"},"minItems":1})",
     R"({"type":"array","items":{"type":"boolean"}})", false},
    {R"({"type":"array","items":{"type":"null"}})",
     R"({"type":"array","items":{"type":"boolean"}})", true},
    {R"({"type":"object","properties":{"k":{"const":"a"},"v":{"type":"null"}},"required":["k"]})",
     R"({"type":"object","properties":{"k":{"const":"b"},"v":{"type":"null"}},"required":["k"]})",
     false},
    {R"({"type":"object","properties":{"k":{"const":"a"}}})",
     R"({"type":"object","properties":{"k":{"const":"b"}}})", true},
    {R"({"type":"object","properties":{"a":{"type":"null"}},"required":["a"]})",
     R"({"type":"object","properties":{"b":{"type":"null"}},"required":["b"]})", false},
    {R"({"type":"object","properties":{"a":{"type":"null"},"b":{"type":"null"}},"required":["a"]})",
     R"({"type":"object","properties":{"b":{"type":"null"},"a":{"type":"null"}},"required":["b"]})",
     true},
    {R"({"anyOf":[{"type":"null"},{"const":1}]})", R"({"enum":[2,1]})", true},
    {R"({"$ref":"#/$defs/one"})", R"({"type":"number"})", true}};

/// Defect: oneOf is read as anyOf, so that a text meets two schemas of it; or schemas that are
/// apart are refused.
TEST(SchemaOverlap, IsRefusedInAOneOfAndNothingElse) {
  for (const Pair& pair : kPairs)
    for (const bool is_turned : {false, true}) {
      const std::string first = is_turned ? pair.second : pair.first;
      const std::string second = is_turned ? pair.first : pair.second;
      const std::string all = "[" + first + "," + second + R"(],"$defs":{"one":{"const":1}}})";
      const std::string refusal = schema_refusal(R"({"oneOf":)" + all);
      EXPECT_EQ(refusal.find("$.oneOf[1]: a schema of oneOf") != std::string::npos,
                pair.share_a_value)
          << first << " and " << second << ": " << refusal;
      EXPECT_EQ(refusal == "taken", !pair.share_a_value) << refusal;
      EXPECT_EQ(schema_refusal(R"({"anyOf":)" + all), "taken");
    }
}

/// Defect: time that grows with the square of the schemas of a oneOf, or with their values.
TEST(SchemaOverlap, RefusesAOneOfOfTooManySchemas) {
  std::string schema = R"({"oneOf":[)";
  for (int i = 0; i < 2000; ++i)
    schema += (i ? "," : "") + (R"({"const":")" + std::to_string(i) + "\"}");
  EXPECT_NE(schema_refusal(schema + "]}").find("more than a million comparisons"),
            std::string::npos);
  std::string values = R"({"oneOf":[{"enum":[-1)", ranges;
  for (int i = 2; i < 4000; ++i) values += "," + std::to_string(-i);
  for (int i = 0; i < 400; ++i)
    ranges += R"(,{"type":"integer","minimum":)" + std::to_string(2 * i) + R"(,"maximum":)" +
              std::to_string(2 * i + 1) + "}";
  EXPECT_NE(schema_refusal(values + "]}" + ranges + "]}").find("more than a million"),
            std::string::npos);
}

/// Short texts of every type.
std::vector<std::string> short_texts() {
  std::vector<std::string> texts{"null", "true", "false", "{}", "[]", "[null]", "[1]", "[1,1]"};
  for (const char* number : {"-2", "-1", "0", "1", "2", "3", "0.5", "1.5", "2.0", "-0.5"})
    texts.push_back(number);
  for (const char* string : {"", "a", "b", "ab", "ba", "aab"})
    texts.push_back("\"" + std::string(string) + "\"");
  for (const char* a : {"null", "1", "2", "\"a\""}) {
    texts.push_back(R"({"a":)" + std::string(a) + "}");
    for (const char* b : {"null", "1"})
      texts.push_back(R"({"a":)" + std::string(a) + R"(,"b":)" + b + "}");
  }
  return texts;
}

const char* const kSchemas[] = {
    R"({"type":"null"})",
    R"({"type":"boolean"})",
    R"({"const":true})",
    R"({"type":"integer"})",
    R"({"type":"number","minimum":1})",
    R"({"type":"number","exclusiveMaximum":1})",
    R"({"type":"integer","exclusiveMinimum":1,"maximum":2})",
    R"({"enum":[1,0.5,"a"]})",
    R"({"type":"string","maxLength":1})",
    R"({"type":"string","minLength":2})",
    R"({"type":"string","pattern":"^a"})",
    R"({"const":"ab"})",
    R"({"type":"array","items":{"const":1}})",
    R"({"type":"array","items":{"type":"null"},"minItems":1})",
    R"({"const":[1]})",
    R"({"type":"array","maxItems":0})",
    R"({"type":["null","string"]})",
    R"({"type":"object","properties":{"a":{"type":"null"}}})",
    R"({"type":"object","properties":{"a":{"const":1}},"required":["a"]})",
    R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"null"}},
        "required":["b"]})",
    R"({"type":"object","properties":{"a":{"type":"string"}},"required":["a"],
        "additionalProperties":false})",
    R"({"const":{"a":1}})",
    R"({"anyOf":[{"type":"null"},{"const":2}]})"};

/// Defect: schemas that one text matches are taken for apart.
TEST(SchemaOverlap, IsSeenWhereverATextMatchesBoth) {
  const std::vector<std::string> texts = short_texts();
  int num_apart = 0;
  for (const char* first : kSchemas)
    for (const char* second : kSchemas) {
      const std::string both = std::string(first) + "," + second + "]}";
      if (schema_refusal(R"({"oneOf":[)" + both) != "taken") continue;
      ++num_apart;
      const Automaton one(read_json_schema(first, "1"), "1"),
          other(read_json_schema(second, "2"), "2");
      for (const std::string& text : texts)
        EXPECT_FALSE(one.matches(text) && other.matches(text))
            << text << " matches " << first << " and " << second;
    }
  EXPECT_GT(num_apart, 300) << "of 529 pairs";
}

}  // namespace
}  // namespace speclab::engines
