#include "engines/constraints/json_schema.h"

#include <gtest/gtest.h>

#include "engines/constraints/automaton.h"
#include "tests/engines/constraints/schema_refusal.h"

namespace speclab::engines {
namespace {

using testing::schema_refusal;

struct Case {
  const char* schema;
  std::vector<std::string> valid, invalid;
};

const Case kCases[] = {
    {R"({"type":"object","properties":{"a":{"type":"null"},"b":{"type":"boolean"},
         "c":{"const":1}},"required":["b"],"additionalProperties":false})",
     {R"({"b":true})", R"({"a": null, "b":false})", R"({"a":null,"b":true, "c": 1})"},
     {"{}", R"({"a":null})", R"({"b":true,"a":null})", R"({"b":true,})", R"({,"b":true})",
      R"({"b":  true})", R"({"b":true,"d":1})"}},
    {R"({"type":"object","properties":{"a":{"const":1},"b":{"const":2}}})",
     {"{}", R"({"a":1})", R"({"b":2})", R"({"a":1,"b":2})"},
     {R"({"a":1"b":2})", R"({"b":2,"a":1})"}},
    {R"({"type":"array","items":{"type":"boolean"},"minItems":1,"maxItems":2})",
     {"[true]", "[true,false]", "[true, true]"},
     {"[]", "[true,true,true]", "[ true]", "[true,]"}},
    {R"({"type":"array","items":{"type":"boolean"}})", {"[]", "[true,true,true]"}, {"[,true]"}},
    {R"({"type":"array","maxItems":0})", {"[]"}, {"[1]"}},
    {R"({"enum":["a\"b",1.5,null,{"k":[1,2]}]})",
     {R"("a\"b")", "1.5", "null", R"({"k": [1, 2]})"},
     {R"("a"b")", "1.50"}},
    {R"({"type":"string","minLength":2,"maxLength":3})",
     {R"("ab")", R"("\n\"x")", "\"\u00e9\U0001F600\"", R"("\u0001a")"},
     {R"("a")", R"("abcd")", R"("a)", "\"a\nb\"", R"("\u0041b")"}},
    {R"({"type":"string","pattern":"^[a-c\"]+$"})", {R"("ab\"")"}, {R"("d")", R"("")"}},
    {R"({"type":"string","pattern":"b"})", {R"("abc")"}, {R"("ac")"}},
    {R"({"type":"string","pattern":"^\\S+$"})",
     {R"("ab")"},
     {"\"a b\"", "\"a\u00a0b\"", "\"\ufeff\""}},
    {R"({"type":"string","pattern":"^\\s.$"})", {"\"\u3000a\""}, {"\"a a\"", "\" \u2028\""}},
    {R"({"enum":["\\","a\nb"]})", {R"("\\")", R"("a\nb")"}, {R"("\")"}},
    {R"({"const":1,"default":123456789012345678901234567890})", {"1"}, {"2"}},
    {R"({"const":-9223372036854775808})", {"-9223372036854775808"}, {"-9.223372036854775808e+18"}},
    {R"({"const":18446744073709551615})", {"18446744073709551615"}, {"1.8446744073709552e+19"}},
    {R"({"type":["null","boolean"]})", {"null", "true"}, {"0"}},
    {R"({"anyOf":[{"type":"null"},{"const":"x"}]})", {"null", "\"x\""}, {"x"}},
    {R"({"type":"string","enum":["a"],"description":"read over","title":"t"})", {"\"a\""}, {"a"}},
    {R"({"type":"array","items":{"const":1},"maxItems":2})", {"[]", "[1,1]"}, {"[1,1,1]"}},
    {R"({"$defs":{"n":{"type":"null"}},"oneOf":[{"$ref":"#/$defs/n"},{"const":0}]})",
     {"null", "0"},
     {"1"}}};

/// Defect: a comma too many or too few, properties in another order, a character with two
/// spellings, blanks without end.
TEST(JsonSchema, TakesItsTextsAlone) {
  for (const Case& example : kCases) {
    const Automaton automaton(read_json_schema(example.schema, "a test"), "a test");
    for (const std::string& text : example.valid)
      EXPECT_TRUE(automaton.matches(text)) << example.schema << ": " << text;
    for (const std::string& text : example.invalid)
      EXPECT_FALSE(automaton.matches(text)) << example.schema << ": " << text;
  }
}

/// Defect: a keyword that is not supported and passes in silence; an error without its path.
TEST(JsonSchema, RefusesTheRestWithItsPath) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"type":"string","format":"date"})", "$.format: a keyword that is not supported"},
      {R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"null"},
           "uniqueItems":true}}})",
       "$.properties.a.uniqueItems"},
      {R"({"type":"object","properties":{},"required":["x"]})", "$.required[0]: \"x\" is required"},
      {R"({"type":"object","properties":{},"additionalProperties":true})",
       "$.additionalProperties: true"},
      {R"({"type":"object"})", "objects without"},
      {R"({"type":"array"})", "arrays without items"},
      {R"({"type":"array","items":{"type":"null"},"minItems":2,"maxItems":1})", "$.minItems: 2"},
      {R"({"type":"string","minLength":2,"maxLength":1})", "$.minLength: 2"},
      {R"({"type":"string","minLength":-1})", "$.minLength: -1"},
      {R"x({"type":"string","pattern":"a(?=b)"})x", "$.pattern: a group that begins with (?"},
      {R"({"type":"string","pattern":"a","maxLength":3})", "$.pattern: a pattern beside a length"},
      {R"({"type":"text"})", "$.type: \"text\""},
      {R"({"enum":[]})", "$.enum: []"},
      {R"({"type":"null","enum":[1]})", "$.enum[0]: 1"},
      {R"({"anyOf":[]})", "$.anyOf: []"},
      {R"({"anyOf":[true]})", "$.anyOf[0]: true"},
      {R"({})", "says nothing"},
      {R"({"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"})",
       "refers to itself"},
      {R"({"$ref":"#/$defs/a"})", "$.$ref"},
      {R"({"type":"null","type":"null"})", "the key \"type\" twice"},
      {R"({"const":123456789012345678901234567890})",
       "$.const: the number 123456789012345678901234567890, which becomes"},
      {R"({"enum":[1,{"a":[-9223372036854775809]}]})",
       "$.enum[1].a[0]: the number -9223372036854775809"},
      {R"({"const":0.12345678901234567890123})", "$.const: the number 0.12345678901234567890123"},
      {R"({"type":"number","minimum":1.00000000000000000001})", "$.minimum: the number 1.0000"},
      {R"({"const":-})", "no valid JSON"},
      {R"({"type":)", "no valid JSON"},
      {"[1]", "$: [1]"}};
  for (const auto& [schema, part] : cases)
    EXPECT_NE(schema_refusal(schema).find(part), std::string::npos)
        << schema << ": " << schema_refusal(schema);
}

/// Defect: time that grows with the cube of the properties, before the schema is refused.
TEST(JsonSchema, RefusesTooManyOptionalPropertiesAtOnce) {
  std::string properties;
  for (int i = 0; i < 3000; ++i)
    properties += (i ? ",\"p" : "\"p") + std::to_string(i) + "\":{\"type\":\"null\"}";
  EXPECT_NE(schema_refusal(R"({"type":"object","properties":{)" + properties + "}}")
                .find("too many may stand first"),
            std::string::npos);
}

/// Defect: references that double the schema at every step take all memory.
TEST(JsonSchema, LimitsWhatReferencesMultiply) {
  std::string schema = R"({"$ref":"#/$defs/d0","$defs":{)";
  for (int i = 0; i < 30; ++i) {
    const std::string next = R"({"$ref":"#/$defs/d)" + std::to_string(i + 1) + "\"}";
    schema += "\"d" + std::to_string(i) + R"(":{"anyOf":[)" + next + "," + next + "]},";
  }
  schema += R"("d30":{"type":"null"}}})";
  EXPECT_NE(schema_refusal(schema).find("references followed"), std::string::npos);
}

}  // namespace
}  // namespace speclab::engines
