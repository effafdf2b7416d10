// Filters that apply a filter or a test to every item.

#include "engines/templates/attributes.h"
#include "engines/templates/filters.h"
#include "engines/templates/python_values.h"

namespace speclab::templates {
namespace {

/// The arguments behind the first `count`.
CallArguments arguments_behind(const CallArguments& arguments, std::size_t count) {
  return {{arguments.positional.begin() + static_cast<std::ptrdiff_t>(count),
           arguments.positional.end()},
          arguments.named};
}

const std::string& name_of_function(const Rendering& rendering, const Value& name) {
  if (!name.is_text())
    rendering.fail("the name of a filter or test is of type " + type_name(name) + "; allowed: str");
  return name.bytes();
}

Value mapped(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const bool by_attribute = arguments.positional.empty();
  std::vector<Value> results;
  if (by_attribute) {
    const Parameters given(rendering, "filter 'map'", {{}, arguments.named},
                           {"attribute", "default?"});
    if (!is_true(input)) return rendering.make_sequence(SequenceKind::generator, {});
    for (const Value& item : items_of(rendering, input)) {
      rendering.step();
      results.push_back(attribute_by_path(rendering, item, given[0], given[1]));
    }
    return rendering.make_sequence(SequenceKind::generator, std::move(results));
  }
  if (!is_true(input)) return rendering.make_sequence(SequenceKind::generator, {});
  const std::string& name = name_of_function(rendering, arguments.positional[0]);
  const CallArguments rest = arguments_behind(arguments, 1);
  for (const Value& item : items_of(rendering, input))
    results.push_back(filtered(rendering, name, item, rest));
  return rendering.make_sequence(SequenceKind::generator, std::move(results));
}

/// select, reject, selectattr and rejectattr: keeps items, or an attribute's owner, for which a
/// test holds or does not.
template <bool keeps, bool by_attribute>
Value chosen(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  constexpr std::size_t kFirst = by_attribute ? 1 : 0;
  if (arguments.positional.size() < kFirst) rendering.fail("Missing parameter for attribute name");
  if (!is_true(input)) return rendering.make_sequence(SequenceKind::generator, {});
  const bool has_test = arguments.positional.size() > kFirst;
  const CallArguments rest = has_test ? arguments_behind(arguments, kFirst + 1) : CallArguments{};
  std::vector<Value> kept;
  for (const Value& item : items_of(rendering, input)) {
    rendering.step();
    const Value value =
        by_attribute ? attribute_by_path(rendering, item, arguments.positional[0]) : item;
    const bool holds =
        has_test ? tested(rendering, name_of_function(rendering, arguments.positional[kFirst]),
                          value, rest)
                 : is_true(value);
    if (holds == keeps) kept.push_back(item);
  }
  return rendering.make_sequence(SequenceKind::generator, std::move(kept));
}

}  // namespace

const FilterTable& choice_filters() {
  static const FilterTable table = {{"map", mapped},
                                    {"reject", chosen<false, false>},
                                    {"rejectattr", chosen<false, true>},
                                    {"select", chosen<true, false>},
                                    {"selectattr", chosen<true, true>}};
  return table;
}

}  // namespace speclab::templates
