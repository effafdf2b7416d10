// Every bound of a rendering, and what its error says.

#include <gtest/gtest.h>

#include "tests/engines/templates/template_cases.h"

namespace speclab::testing {
namespace {

struct Excess {
  const char* name;
  std::string source;
  const char* bound;  ///< in the message
};

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

std::vector<Excess> excesses() {
  const std::string nested_loops =
      "{% set r = range(1000) %}" + repeated("{% for i in r %}", 4) + repeated("{% endfor %}", 4);
  const std::string doubling =
      "{% set ns = namespace(t='ab') %}{% for i in range(60) %}{% set ns.t = ns.t + ns.t %}"
      "{% endfor %}";
  const std::string doubling_list =
      "{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = ns.l + ns.l %}"
      "{% endfor %}";
  const std::string nesting_list =
      "{% set ns = namespace(l=[]) %}{% for i in range(1000) %}{% set ns.l = [ns.l] %}"
      "{% endfor %}";
  return {
      {"Loops", nested_loops, "steps 20000000"},
      {"Output", "{% for i in range(100000) %}" + repeated("x", 1000) + "{% endfor %}",
       "bytes of output"},
      {"Doubling", doubling, "bytes of one text"},
      {"DoublingLists", doubling_list, "bytes of all values"},
      {"Repetition", "{{ 'a' * 10000000000 }}", "size of a repeated text"},
      {"RepetitionOfLists", "{{ [1] * 10000000000 }}", "size of a repeated text or list"},
      {"Ranges", "{{ range(100001)|list }}", "items of a range 100000"},
      {"Recursion", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "evaluations in each other"},
      {"RecursiveLoops", "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}",
       "evaluations in each other"},
      {"Parentheses", "{{ " + repeated("(", 500) + "1" + repeated(")", 500) + " }}",
       "nested deeper than 200"},
      {"Sums", "{{ 1" + repeated(" + 1", 500) + " }}", "nested deeper than 200"},
      {"Blocks", repeated("{% if 1 %}", 500) + repeated("{% endif %}", 500),
       "nested deeper than 200"},
      {"PrintedDepth", nesting_list + "{{ ns.l }}", "levels of values 200"},
      {"ComparedDepth", nesting_list + "{{ ns.l == [ns.l] }}", "levels of values 200"},
      {"JsonDepth", nesting_list + "{{ ns.l|tojson }}", "levels of values 200"},
      {"Rings", "{% set a = namespace() %}{% set a.a = [a] %}{{ a }}", "namespaces in each other"},
      {"Replacement", "{{ ('a' * 60000)|replace('', 'b' * 60000) }}", "bytes of one text"},
      {"Joins", "{{ range(100000)|join('b' * 60000) }}", "bytes of one text"},
      {"Width", "{{ '%1000001d' % 1 }}", "width of a format"},
      {"WidthOfBraces", "{{ '{:>9999999}'.format(1) }}", "width of a format"},
      {"Padding", "{{ 'a'.ljust(1000000000) }}", "bytes of one text"},
      {"Margins", "{{ 'a\nb'|indent(1000000000) }}", "size of a repeated text"},
      {"Integers", "{{ 10 ** 39 }}", "bits of a number 127"},
      {"Literals", "{{ 1" + repeated("0", 60) + " }}", "number of more than 127 bits"},
      {"Cycles", "{% for i in range(100000) %}{{ 'ab' in 'b' * 1000000 }}{% endfor %}", "steps"},
  };
}

class TemplateLimits : public ::testing::TestWithParam<Excess> {};

/// Defect: a template of a model takes time, memory or stack without a bound.
TEST_P(TemplateLimits, AreErrorsThatNameTheBound) {
  const Json found = outcome_of(GetParam().source, Json::object());
  EXPECT_EQ(found.value("error", "none"), "limit") << found.dump().substr(0, 300);
  EXPECT_NE(found.value("message", "").find(GetParam().bound), std::string::npos) << found.dump();
}

INSTANTIATE_TEST_SUITE_P(, TemplateLimits, ::testing::ValuesIn(excesses()),
                         [](const auto& named) { return std::string(named.param.name); });

void expect_limit(const std::string& source, const templates::Limits& limits = {}) {
  const Json found = outcome_of(source, Json::object(), limits);
  EXPECT_EQ(found.value("error", "none"), "limit") << source << "\n" << found.dump();
}

/// Defect: a range is counted in doubles, so that one of 10^12 large numbers counts as empty, and
/// the steps behind its last number overflow.
TEST(TemplateBounds, CountRangesExactly) {
  expect_limit("{{ range(2**100, 2**100 + 10**12) }}");
  expect_limit("{{ range(-2**126 * 2, 2**126) }}");
  const std::string top = "{% set top = 2**126 + (2**126 - 1) %}";
  EXPECT_EQ(outcome_of(top + "{{ range(top - 2, top, 2**126)|list }}"
                             "{{ range(-top - 1, top, top)|length }}"
                             "{{ range(1 - top, -top - 1, -top - 1)|length }}"
                             "{{ range(100000)|length }}{{ range(0, -7, -3)|list }}",
                       Json::object())["text"],
            "[170141183460469231731687303715884105725]31100000[0, -3, -6]");
}

/// Defect: a fill of many characters is written as often as a width asks, before it is measured.
TEST(TemplateBounds, HoldFillsOfOneCharacter) {
  for (const char* method : {"center", "ljust", "rjust"})
    for (const char* fill : {"'b' * 1000000", "'bc'", "''"})
      EXPECT_EQ(outcome_of(std::string("{{ 'a'.") + method + "(60000000, " + fill + ") }}",
                           Json::object())["error"],
                "rendering");
  expect_limit("{{ 'a'.ljust(60000000, 'ä') }}");
  EXPECT_EQ(outcome_of("{{ 'a'.center(4, 'ä') }}", Json::object())["text"], "äaää");
}

/// Defect: a text is cut into more parts than a rendering can make, before they are counted.
TEST(TemplateBounds, HoldPartsOfATextBeforeTheyAreMade) {
  for (const char* split : {"split('a')", "rsplit('a')", "split()", "rsplit()"})
    expect_limit(std::string("{{ ('a ' * 100000).") + split + "|length }}",
                 {.made_bytes = 1 << 20});
}

/// Defect: a precision of a whole number writes up to a million digits, and groups them one by one.
TEST(TemplateBounds, RefuseThePrecisionOfWholeNumbers) {
  EXPECT_EQ(outcome_of("{{ '{:,.1000000d}'.format(1) }}", Json::object())["error"], "rendering");
  EXPECT_EQ(outcome_of("{{ '{:.1f}{:.0%}'.format(1, 2) }}", Json::object())["text"], "1.0200%");
}

/// Defect: escapes make a text many times as long before it is measured.
TEST(TemplateBounds, HoldEscapedTexts) {
  for (const char* filter : {"escape", "forceescape"})
    expect_limit(std::string("{{ ('<' * 1000)|") + filter + " }}", {.text_bytes = 3999});
  expect_limit("{{ 'a'|safe + '<' * 1000 }}", {.text_bytes = 4000});
}

/// Defect: tests of a text read it as often as a template likes for one step.
TEST(TemplateBounds, CountTheCharactersThatAreClassified) {
  for (const char* test : {"isprintable", "islower", "istitle", "isidentifier"})
    expect_limit(std::string("{% set t = 'ab ' * 100000 %}{% for i in range(200) %}{{ t.") + test +
                     "() }}{% endfor %}",
                 {.steps = 1'000'000});
}

/// Defect: one search compares a long text at every place of another for no step at all.
TEST(TemplateBounds, CountTheBytesThatASearchCompares) {
  for (const char* search :
       {"t.find(a)", "t.rfind(a)", "t.index(a)", "t.count(a)", "t.split(a)", "t.rsplit(a)",
        "t.partition(a)", "t.rpartition(a)", "t.replace(a, '')", "a in t", "t|replace(a, '')",
        "t.startswith((u,) * 1000)", "t.endswith((z,) * 1000)"})
    expect_limit(std::string("{% set t = 'a' * 1000000 %}{% set a = 'a' * 500000 ~ 'b' %}"
                             "{% set u = 'a' * 999999 ~ 'b' %}{% set z = 'b' ~ 'a' * 999999 %}"
                             "{{ ") +
                     search + " }}",
                 {.steps = 200'000});
}

/// Defect: something else than a search reads a long text for a few steps, so that a loop over it
/// takes minutes.
TEST(TemplateBounds, CountTheBytesThatAreRead) {
  const std::string texts =
      "{% set t = 'é' * 500000 %}{% set u = 'é' * 500000 %}{% set k = {t: 1} %}"
      "{% set f = '{0}' * 100000 %}";
  for (const char* reading : {"t[499999]",
                              "t[499998:499999]",
                              "t[::500000]",
                              "k[u]",
                              "u in k",
                              "k.get(u)",
                              "{}[u]",
                              "t is sameas u",
                              "t == u",
                              "t|wordcount",
                              "t|int",
                              "t|float",
                              "t.strip('é')",
                              "t|trim('é')",
                              "'a'.strip(t)",
                              "t.removeprefix(u)",
                              "t.upper()|length",
                              "t|title|length",
                              "t.swapcase()|length",
                              "t.isalpha()",
                              "t.split()|length",
                              "t.splitlines()|length",
                              "t.replace('', '')|length",
                              "t.count('')",
                              "f.format('')"})
    expect_limit(texts + "{% for i in range(1000) %}{{ " + reading + " }}{% endfor %}",
                 {.steps = 1'000'000, .made_bytes = std::size_t{4} << 30});
}

/// Defect: the number of a text's characters is counted again at every place that asks for it.
TEST(TemplateBounds, KnowTheNumberOfCharacters) {
  const Json found = outcome_of(
      "{% set t = 'é' * 1000000 %}{% for i in range(90000) %}{% if t|length %}{% endif %}"
      "{% endfor %}{{ t|length }}",
      Json::object());
  EXPECT_EQ(found, Json({{"text", "1000000"}}));
}

/// Defect: every character that is stripped is sought in a long text.
TEST(TemplateBounds, StripBySetsOfAnySize) {
  EXPECT_EQ(outcome_of("{{ ('a' * 1000000)|trim('b' * 1000000 ~ 'a')|length }}", Json::object()),
            Json({{"text", "0"}}));
}

/// Defect: an error quotes half a character, and no JSON can hold it.
TEST(TemplateBounds, QuoteWholeCharacters) {
  EXPECT_NO_THROW(outcome_of("{{ '%é' % 1 }}", Json::object()).dump());
}

/// Defect: a source of any size is parsed, or one with bytes that are no text.
TEST(TemplateSource, IsBoundedAndUtf8) {
  EXPECT_EQ(outcome_of(std::string((1 << 20) + 1, 'x'), Json::object())["error"], "limit");
  EXPECT_EQ(outcome_of(std::string(1 << 20, 'x'), Json::object()).count("text"), 1U);
  EXPECT_EQ(outcome_of("a\xff", Json::object())["error"], "syntax");
}

/// Defect: messages that are nested too deeply overflow the stack.
TEST(TemplateInput, IsBoundedInDepth) {
  Json deep = 1;
  for (int i = 0; i < 300; ++i) deep = Json::array({deep});
  EXPECT_EQ(outcome_of("x", {{"messages", deep}})["error"], "limit");
}

/// Defect: a long conversation of an ordinary size meets a bound that is meant for attacks.
TEST(TemplateBounds, HoldAThousandMessagesOfTenKilobytes) {
  Json messages = Json::array();
  for (int i = 0; i < 1000; ++i)
    messages.push_back(
        {{"role", i % 2 ? "assistant" : "user"}, {"content", repeated("word ", 2000)}});
  const Json found = outcome_of(
      "{% set ns = namespace(n=0) %}{% for m in messages %}{{ m.role + ': ' + m.content|trim }}"
      "{% set ns.n = ns.n + m.content|length %}{% endfor %}{{ ns.n }}",
      {{"messages", messages}});
  ASSERT_TRUE(found.contains("text")) << found.dump();
  EXPECT_TRUE(found["text"].get<std::string>().ends_with("10000000"));
}

}  // namespace
}  // namespace speclab::testing
