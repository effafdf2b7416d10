// Filters by name, and the tests of `value is name`.

#include <algorithm>

#include "engines/templates/characters.h"
#include "engines/templates/functions.h"
#include "engines/templates/python.h"

namespace speclab::templates {
namespace {

/// @param kind  of the table: filter or test
template <typename Table>
const auto& entry_of(Rendering& rendering, const Table& table, const char* kind,
                     const std::string& name) {
  rendering.step();
  const auto found = table.find(name);
  if (found != table.end()) return found->second;
  std::string names;
  for (const auto& [known, each] : table) names += (names.empty() ? "" : ", ") + known;
  rendering.fail(std::string(kind) + " '" + name.substr(0, 60) +
                 "' is not known; allowed: " + names);
}

/// A test without an operand.
template <typename Holds>
TestFunction plain(Holds holds) {
  return [holds](Rendering& rendering, const Value& input, const CallArguments& arguments) {
    const Parameters given(rendering, "a test", arguments, {});
    return holds(rendering, input);
  };
}

TestFunction of_kind(Kind kind) {
  return plain([kind](Rendering&, const Value& input) { return input.is(kind); });
}

TestFunction of_boolean(bool wanted) {
  return plain([wanted](Rendering&, const Value& input) {
    return input.is(Kind::boolean) && input.boolean() == wanted;
  });
}

TestFunction compares(const char* sign) {
  return [sign](Rendering& rendering, const Value& input, const CallArguments& arguments) {
    const Parameters given(rendering, "a test that compares", arguments, {"other"});
    return holds(rendering, sign, input, given[0]);
  };
}

/// @param method  of texts
TestFunction of_case(const char* method) {
  return plain([method](Rendering& rendering, const Value& input) {
    return is_true(text_method(method)(rendering, soft_text(rendering, input), {}));
  });
}

bool is_sequence(Rendering&, const Value& input) {
  return input.is_text() || input.is(Kind::mapping) || input.is(Kind::undefined) ||
         (input.is(Kind::sequence) && input.sequence().has_subscripts());
}

bool may_be_called(Rendering&, const Value& input) {
  return input.is(Kind::undefined) || (input.is(Kind::object) && input.object().is_callable());
}

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
  if (!rest.is_number()) return 2;  // the operator has formatted a text
  return rest.is_whole() ? rest.integer() : rest.number() == 0 ? 0 : rest.number() == 1 ? 1 : 2;
}

TestFunction of_remainder(Integer wanted) {
  return plain([wanted](Rendering& rendering, const Value& input) {
    return remainder_of(rendering, input, 2) == wanted;
  });
}
bool is_divisible(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "test 'divisibleby'", arguments, {"num"});
  return remainder_of(rendering, input, given.integer(0)) == 0;
}

}  // namespace

const FilterTable& all_filters() {
  static const FilterTable all = [] {
    FilterTable table{{"tojson", as_json}};
    for (const FilterTable* part :
         {&text_filters(), &number_filters(), &list_filters(), &choice_filters(), &order_filters()})
      table.insert(part->begin(), part->end());
    return table;
  }();
  return all;
}

Value filtered(Rendering& rendering, const std::string& name, const Value& input,
               const CallArguments& arguments) {
  return entry_of(rendering, all_filters(), "filter", name)(rendering, input, arguments);
}

bool tested(Rendering& rendering, const std::string& name, const Value& input,
            const CallArguments& arguments) {
  return entry_of(rendering, all_tests(), "test", name)(rendering, input, arguments);
}

Value soft_text(Rendering& rendering, const Value& value) {
  return value.is_text() ? value : rendering.make_text(str(rendering, value));
}

Value without_case(Rendering& rendering, const Value& value, bool is_case_sensitive) {
  if (is_case_sensitive || !value.is_text()) return value;
  rendering.step_characters(value.bytes().size());
  return rendering.make_text(lowercase(value.bytes()));
}

const TestTable& all_tests() {
  static const TestTable table = {
      {"!=", compares("!=")},
      {"<", compares("<")},
      {"<=", compares("<=")},
      {"==", compares("==")},
      {">", compares(">")},
      {">=", compares(">=")},
      {"boolean", of_kind(Kind::boolean)},
      {"callable", plain(may_be_called)},
      {"defined", plain([](Rendering&, const Value& input) { return !input.is(Kind::undefined); })},
      {"divisibleby", is_divisible},
      {"eq", compares("==")},
      {"equalto", compares("==")},
      {"escaped", plain([](Rendering&, const Value& input) {
         return input.is_text() && input.text().is_markup;
       })},
      {"even", of_remainder(0)},
      {"false", of_boolean(false)},
      {"filter", plain([](Rendering&, const Value& input) {
         return input.is_text() && all_filters().contains(input.bytes());
       })},
      {"float", of_kind(Kind::real)},
      {"ge", compares(">=")},
      {"greaterthan", compares(">")},
      {"gt", compares(">")},
      {"in", compares("in")},
      {"integer", of_kind(Kind::integer)},
      {"iterable", plain([](Rendering&, const Value& input) { return is_iterable(input); })},
      {"le", compares("<=")},
      {"lessthan", compares("<")},
      {"lower", of_case("islower")},
      {"lt", compares("<")},
      {"mapping", of_kind(Kind::mapping)},
      {"ne", compares("!=")},
      {"none", of_kind(Kind::none)},
      {"number", plain([](Rendering&, const Value& input) { return input.is_number(); })},
      {"odd", of_remainder(1)},
      {"sameas", is_same},
      {"sequence", plain(is_sequence)},
      {"string", of_kind(Kind::text)},
      {"test", plain([](Rendering&, const Value& input) {
         return input.is_text() && all_tests().contains(input.bytes());
       })},
      {"true", of_boolean(true)},
      {"undefined", of_kind(Kind::undefined)},
      {"upper", of_case("isupper")}};
  return table;
}

}  // namespace speclab::templates
