#include "engines/templates/rendering.h"

#include <algorithm>

#include "engines/templates/characters.h"
#include "engines/templates/python.h"

namespace speclab::templates {

Value Object::call(Rendering& rendering, const CallArguments&) {
  rendering.fail("'" + type_name() + "' object is not callable");
}

void Rendering::fail_limit(const std::string& bound) const {
  fail(Fault::limit,
       "more than the limit: " + bound + "; use a template or messages that need less");
}

void Rendering::fail_steps() const { fail_limit("steps " + std::to_string(limits_.steps)); }

void Rendering::charge(std::size_t bytes) {
  made_bytes_ += bytes;
  if (made_bytes_ > limits_.made_bytes)
    fail_limit("bytes of all values " + std::to_string(limits_.made_bytes));
}

void Rendering::expect_text_size(std::size_t bytes) const {
  if (bytes > limits_.text_bytes)
    fail_limit("bytes of one text " + std::to_string(limits_.text_bytes));
}

Value Rendering::make_text(std::string text, bool is_markup) {
  expect_text_size(text.size());
  charge(text.size() + sizeof(Text));
  step_bytes(text.size());
  const std::size_t num_characters = count_characters(text);
  return Value(&texts_.emplace_back(Text{std::move(text), is_markup, num_characters}));
}

Value Rendering::make_sequence(SequenceKind kind, std::vector<Value> items, std::string shown) {
  charge(items.size() * sizeof(Value) + sizeof(Sequence));
  step_items(items.size());
  return Value(&sequences_.emplace_back(Sequence{kind, std::move(items), 0, std::move(shown)}));
}

Value Rendering::make_mapping(Mapping mapping) {
  charge(mapping.items.size() * sizeof(mapping.items[0]) + sizeof(Mapping));
  step_items(mapping.items.size());
  return Value(&mappings_.emplace_back(std::move(mapping)));
}

Value Rendering::make_undefined(std::string message) {
  charge(message.size() + sizeof(UndefinedOrigin));
  return Value(&undefined_.emplace_back(UndefinedOrigin{std::move(message)}));
}

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
