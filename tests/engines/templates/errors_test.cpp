// What errors of templates say, and the values that come from JSON.

#include <gtest/gtest.h>

#include "tests/engines/templates/template_cases.h"

namespace speclab::testing {
namespace {

using templates::Fault;
using templates::Template;
using templates::TemplateError;

TemplateError error_of(const std::string& source, const Json& variables = Json::object()) {
  try {
    Template(source).render(variables);
  } catch (const TemplateError& error) {
    return error;
  }
  throw std::logic_error("no error: " + source);
}

void expect_error(const std::string& source, Fault fault, int line, const std::string& part) {
  const TemplateError error = error_of(source);
  EXPECT_EQ(error.fault(), fault) << source;
  EXPECT_EQ(error.line(), line) << source;
  EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << source << "\n"
                                                                     << error.what();
}

/// Defect: an error does not say on which line of the template it is, or what is missing there.
TEST(TemplateErrors, NameTheLineAndWhatIsNotThere) {
  expect_error("a\n{{ x|nope }}", Fault::rendering, 2, "filter 'nope' is not known; allowed: abs,");
  expect_error("a\n\n{{ x is nope }}", Fault::rendering, 3, "test 'nope' is not known; allowed: ");
  expect_error("\n{{ x.y }}", Fault::rendering, 2, "'x' is undefined");
  expect_error("{% if 1 %}\n{{ {}.a.b }}{% endif %}", Fault::rendering, 2, "no attribute 'a'");
  expect_error("\n{{ nope('a') }}", Fault::rendering, 2, "'nope' is undefined");
  expect_error("\n{{ [\n1 +\n'a'] }}", Fault::rendering, 3, "unsupported operand type(s) for +");
  expect_error("\n{% nope %}", Fault::syntax, 2, "'nope'; allowed here: the tags break,");
  expect_error("a\n{% if x %}\nb", Fault::syntax, 3, "the end of the template");
  expect_error("a\n{% include 'x' %}", Fault::syntax, 2, "'include'");
  expect_error("{{ 'a'.join([1]) }}", Fault::rendering, 1, "an item of type int; allowed: str");
  expect_error("{{ 'a'|replace('b') }}", Fault::rendering, 1, "the argument 'new' is missing");
  expect_error("\n\n{{ raise_exception('No\nsystem') }}", Fault::raised, 3, "No\nsystem");
}

/// Defect: a method that changes a value, or one of Python's own, can be reached.
TEST(TemplateErrors, RefuseWhatTheSandboxRefuses) {
  const std::string unsafe = "is unsafe";
  expect_error("{{ [].append(1) }}", Fault::rendering, 1, unsafe);
  expect_error("{{ {}.update({}) }}", Fault::rendering, 1, unsafe);
  expect_error("{{ ''.__class__.__mro__ }}", Fault::rendering, 1, unsafe);
  expect_error("{{ ''['__class__']['__mro__'] }}", Fault::rendering, 1, unsafe);
  expect_error("{{ '{0.__class__.__mro__}'.format('') }}", Fault::rendering, 1, unsafe);
}

/// Defect: keys lose their order, or a value its type, on the way from JSON to the template.
TEST(TemplateValues, KeepOrderAndTypesOfJson) {
  const std::string text =
      R"({"z": 1, "a": [1.0, -0.5, 1e+16, 9007199254740993, 18446744073709551615, null, true], )"
      R"("é": "\u0000\"\\/", "": {}, "items": []})";
  const Json found = outcome_of("{{ value|tojson }}", {{"value", Json::parse(text)}});
  EXPECT_EQ(
      found["text"],
      R"({"z": 1, "a": [1.0, -0.5, 1e+16, 9007199254740993, 18446744073709551615, null, true], )"
      R"("é": "\u0000\"\\/", "": {}, "items": []})");
}

/// Defect: the smallest integer, which has no opposite, is negated, and remainders and powers
/// overflow on their way to a result.
TEST(TemplateValues, ReachTheSmallestAndTheLargestInteger) {
  const std::string ends = "{% set low = -(2**126)*2 %}{% set top = 2**126 + (2**126 - 1) %}";
  const auto shown = [&](const std::string& expression) {
    const Json found = outcome_of(ends + "{{ " + expression + " }}", Json::object());
    return found.contains("text") ? found["text"] : found["error"];
  };
  EXPECT_EQ(shown("'%x' % low"), "-80000000000000000000000000000000");
  EXPECT_EQ(shown("'%#o' % (low + 1)"), "-0o1777777777777777777777777777777777777777777");
  EXPECT_EQ(shown("low"), "-170141183460469231731687303715884105728");
  EXPECT_EQ(shown("'%d' % low"), "-170141183460469231731687303715884105728");
  EXPECT_EQ(shown("low % 3"), "1");
  EXPECT_EQ(shown("top % -2"), "-1");
  EXPECT_EQ(shown("low // 3"), "-56713727820156410577229101238628035243");
  EXPECT_EQ(shown("'abc'[::low]"), "c");
  EXPECT_EQ(shown("15|round(low)"), "0");
  EXPECT_EQ(shown("(-2)**127 == low"), "True");
  EXPECT_EQ(shown("(2**64)**2"), "limit");
  EXPECT_EQ(shown("top**2"), "limit");
  for (const char* overflows : {"-low", "low|abs", "low // -1", "top + 1", "low - 1"})
    EXPECT_EQ(shown(overflows), "limit") << overflows;
}

/// Defect: a variable hides nothing, or one rendering leaves names for the next.
TEST(TemplateValues, HideFunctionsAndEndWithTheirRendering) {
  const Template source("{% if x is defined %}{{ range }}{% endif %}{% set x = 1 %}{{ x }}");
  EXPECT_EQ(source.render({{"range", "mine"}, {"x", 2}}), "mine1");
  EXPECT_EQ(source.render(Json::object()), "1");
}

}  // namespace
}  // namespace speclab::testing
