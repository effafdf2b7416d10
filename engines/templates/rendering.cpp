#include "engines/templates/rendering.h"

#include "engines/templates/characters.h"
#include "engines/templates/python_values.h"

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

}  // namespace speclab::templates
