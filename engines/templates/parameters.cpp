#include "engines/templates/parameters.h"

#include <algorithm>

#include "engines/templates/python_values.h"

namespace speclab::templates {

Parameters::Parameters(Rendering& rendering, std::string callee, const CallArguments& given,
                       std::initializer_list<std::string_view> names)
    : rendering_(rendering),
      callee_(std::move(callee)),
      values_(names.size()),
      given_(names.size()),
      names_(names) {
  if (given.positional.size() > names.size())
    fail(std::to_string(given.positional.size()) + " arguments; allowed: at most " +
         std::to_string(names.size()));
  const auto set = [&](std::size_t i, const Value& value) {
    values_[i] = value;
    given_[i] = true;
  };
  const auto plain = [](std::string_view name) {
    return name.ends_with('?') ? name.substr(0, name.size() - 1) : name;
  };
  for (std::size_t i = 0; i < given.positional.size(); ++i) set(i, given.positional[i]);
  for (const auto& [name, value] : given.named) {
    const auto known =
        std::ranges::find_if(names_, [&](std::string_view each) { return plain(each) == name; });
    if (known == names_.end()) fail("no argument is named '" + name + "'");
    const auto i = static_cast<std::size_t>(known - names_.begin());
    if (given_[i]) fail("the argument '" + name + "' is given twice");
    set(i, value);
  }
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (!given_[i] && !names_[i].ends_with('?'))
      fail("the argument '" + std::string(names_[i]) + "' is missing");
}

void Parameters::fail(const std::string& message) const {
  rendering_.fail(callee_ + ": " + message);
}

const std::string& Parameters::text(std::size_t i) const {
  if (values_[i].is(Kind::undefined)) rendering_.fail(values_[i].undefined().message);
  if (!values_[i].is_text())
    fail("argument " + std::to_string(i + 1) + " is of type " + type_name(values_[i]) +
         "; allowed: str");
  return values_[i].bytes();
}

Integer Parameters::integer(std::size_t i) const {
  if (values_[i].is(Kind::undefined)) rendering_.fail(values_[i].undefined().message);
  if (!values_[i].is_whole())
    fail("argument " + std::to_string(i + 1) + " is of type " + type_name(values_[i]) +
         "; allowed: int");
  return values_[i].integer();
}

bool Parameters::truth(std::size_t i, bool missing) const {
  return has(i) ? is_true(values_[i]) : missing;
}

}  // namespace speclab::templates
