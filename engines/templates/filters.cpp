#include "engines/templates/filters.h"

#include "engines/templates/characters.h"
#include "engines/templates/python_values.h"

namespace speclab::templates {
namespace {

template <typename Table>
std::string names_of(const Table& table) {
  std::string names;
  for (const auto& [name, each] : table) names += (names.empty() ? "" : ", ") + name;
  return names;
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
  rendering.step();
  const auto found = all_filters().find(name);
  if (found == all_filters().end())
    rendering.fail("filter '" + name.substr(0, 60) +
                   "' is not known; allowed: " + names_of(all_filters()));
  return found->second(rendering, input, arguments);
}

bool tested(Rendering& rendering, const std::string& name, const Value& input,
            const CallArguments& arguments) {
  rendering.step();
  const auto found = all_tests().find(name);
  if (found == all_tests().end())
    rendering.fail("test '" + name.substr(0, 60) +
                   "' is not known; allowed: " + names_of(all_tests()));
  return found->second(rendering, input, arguments);
}

Value soft_text(Rendering& rendering, const Value& value) {
  return value.is_text() ? value : rendering.make_text(str(rendering, value));
}

Value without_case(Rendering& rendering, const Value& value, bool is_case_sensitive) {
  if (is_case_sensitive || !value.is_text()) return value;
  rendering.step_characters(value.bytes().size());
  return rendering.make_text(lowercase(value.bytes()));
}

}  // namespace speclab::templates
