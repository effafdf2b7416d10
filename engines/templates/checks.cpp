// The tests of `value is name`.

#include <algorithm>

#include "engines/templates/attributes.h"
#include "engines/templates/filters.h"
#include "engines/templates/operators.h"
#include "engines/templates/python_values.h"

namespace speclab::templates {
namespace {

/// Such tests have no operand.
void expect_none(Rendering& rendering, const CallArguments& arguments) {
  const Parameters given(rendering, "a test", arguments, {});
}

template <Kind kind>
bool is_kind(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  expect_none(rendering, arguments);
  return input.is(kind);
}

bool is_defined(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  expect_none(rendering, arguments);
  return !input.is(Kind::undefined);
}

template <bool wanted>
bool is_the_boolean(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  expect_none(rendering, arguments);
  return input.is(Kind::boolean) && input.boolean() == wanted;
}

bool is_any_number(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  expect_none(rendering, arguments);
  return input.is_number();
}

bool is_sequence(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  expect_none(rendering, arguments);
  return input.is_text() || input.is(Kind::mapping) || input.is(Kind::undefined) ||
         (input.is(Kind::sequence) && input.sequence().has_subscripts());
}

bool is_any_iterable(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  expect_none(rendering, arguments);
  return is_iterable(input);
}

bool is_any_callable(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  expect_none(rendering, arguments);
  return input.is(Kind::undefined) || (input.is(Kind::object) && input.object().is_callable());
}

template <const char* const& sign>
bool compares(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "a test that compares", arguments, {"other"});
  return holds(rendering, sign, input, given[0]);
}

constexpr const char* kEqual = "==";
constexpr const char* kUnequal = "!=";
constexpr const char* kLess = "<";
constexpr const char* kLessOrEqual = "<=";
constexpr const char* kGreater = ">";
constexpr const char* kGreaterOrEqual = ">=";
constexpr const char* kIn = "in";

bool is_same(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "test 'sameas'", arguments, {"other"});
  const Value& other = given[0];
  if (input.kind() != other.kind()) return false;
  switch (input.kind()) {
    case Kind::text:
      rendering.step_bytes(std::min(input.bytes().size(), other.bytes().size()));
      return &input.text() == &other.text() || input.bytes() == other.bytes();
    case Kind::sequence:
      return &input.sequence() == &other.sequence();
    case Kind::mapping:
      return &input.mapping() == &other.mapping();
    case Kind::undefined:
      return &input.undefined() == &other.undefined();
    default:
      return are_equal(rendering, input, other);
  }
}

Integer remainder_of(Rendering& rendering, const Value& input, Integer divisor) {
  const Value rest = calculated(rendering, Sign::modulo, input, Value(divisor));
  return rest.is_whole() ? rest.integer() : rest.number() == 0 ? 0 : rest.number() == 1 ? 1 : 2;
}

bool is_even(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  expect_none(rendering, arguments);
  return remainder_of(rendering, input, 2) == 0;
}
bool is_odd(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  expect_none(rendering, arguments);
  return remainder_of(rendering, input, 2) == 1;
}
bool is_divisible(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "test 'divisibleby'", arguments, {"num"});
  return remainder_of(rendering, input, given.integer(0)) == 0;
}

bool is_in_case(Rendering& rendering, const Value& input, const char* method) {
  const Value text = soft_text(rendering, input);
  return is_true(text_method(method)(rendering, text, {}));
}
bool is_lower_text(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  expect_none(rendering, arguments);
  return is_in_case(rendering, input, "islower");
}
bool is_upper_text(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  expect_none(rendering, arguments);
  return is_in_case(rendering, input, "isupper");
}

bool is_escaped(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  expect_none(rendering, arguments);
  return input.is_text() && input.text().is_markup;
}
bool is_filter(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  expect_none(rendering, arguments);
  return input.is_text() && all_filters().contains(input.bytes());
}
bool is_test(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  expect_none(rendering, arguments);
  return input.is_text() && all_tests().contains(input.bytes());
}

}  // namespace

const TestTable& all_tests() {
  static const TestTable table = {
      {"!=", compares<kUnequal>},
      {"<", compares<kLess>},
      {"<=", compares<kLessOrEqual>},
      {"==", compares<kEqual>},
      {">", compares<kGreater>},
      {">=", compares<kGreaterOrEqual>},
      {"boolean", is_kind<Kind::boolean>},
      {"callable", is_any_callable},
      {"defined", is_defined},
      {"divisibleby", is_divisible},
      {"eq", compares<kEqual>},
      {"equalto", compares<kEqual>},
      {"escaped", is_escaped},
      {"even", is_even},
      {"false", is_the_boolean<false>},
      {"filter", is_filter},
      {"float", is_kind<Kind::real>},
      {"ge", compares<kGreaterOrEqual>},
      {"greaterthan", compares<kGreater>},
      {"gt", compares<kGreater>},
      {"in", compares<kIn>},
      {"integer", is_kind<Kind::integer>},
      {"iterable", is_any_iterable},
      {"le", compares<kLessOrEqual>},
      {"lessthan", compares<kLess>},
      {"lower", is_lower_text},
      {"lt", compares<kLess>},
      {"mapping", is_kind<Kind::mapping>},
      {"ne", compares<kUnequal>},
      {"none", is_kind<Kind::none>},
      {"number", is_any_number},
      {"odd", is_odd},
      {"sameas", is_same},
      {"sequence", is_sequence},
      {"string", is_kind<Kind::text>},
      {"test", is_test},
      {"true", is_the_boolean<true>},
      {"undefined", is_kind<Kind::undefined>},
      {"upper", is_upper_text},
  };
  return table;
}

}  // namespace speclab::templates
