#include "engines/templates/python_values.h"

#include "engines/templates/characters.h"

namespace speclab::templates {
namespace {

const char* name_of(SequenceKind kind) {
  switch (kind) {
    case SequenceKind::list:
      return "list";
    case SequenceKind::tuple:
      return "tuple";
    case SequenceKind::range:
      return "range";
    case SequenceKind::dict_keys:
      return "dict_keys";
    case SequenceKind::dict_values:
      return "dict_values";
    case SequenceKind::dict_items:
      return "dict_items";
    case SequenceKind::generator:
      return "generator";
    case SequenceKind::iterator:
      return "iterator";
  }
  return "";
}

std::span<const Value> characters_of(Rendering& rendering, const Text& text) {
  std::vector<Value> characters;
  for (const char32_t character : code_points(text.bytes)) {
    std::string bytes;
    append_utf8(bytes, character);
    characters.push_back(rendering.make_text(std::move(bytes)));
  }
  return rendering.make_list(std::move(characters)).sequence().items;
}

std::span<const Value> keys_of(Rendering& rendering, const Mapping& mapping) {
  std::vector<Value> keys;
  for (const auto& [key, value] : mapping.items) keys.push_back(key);
  return rendering.make_list(std::move(keys)).sequence().items;
}

std::span<const Value> taken_items(Sequence& sequence) {
  std::span<const Value> items = sequence.items;
  if (!sequence.is_consumed_once()) return items;
  items = items.subspan(sequence.num_taken);
  sequence.num_taken = sequence.items.size();
  return items;
}

}  // namespace

std::string type_name(const Value& value) {
  switch (value.kind()) {
    case Kind::undefined:
      return "Undefined";
    case Kind::none:
      return "NoneType";
    case Kind::boolean:
      return "bool";
    case Kind::integer:
      return "int";
    case Kind::real:
      return "float";
    case Kind::text:
      return value.text().is_markup ? "Markup" : "str";
    case Kind::sequence:
      return name_of(value.sequence().kind);
    case Kind::mapping:
      return "dict";
    case Kind::object:
      return value.object().type_name();
  }
  return "";
}

bool is_true(const Value& value) {
  switch (value.kind()) {
    case Kind::undefined:
    case Kind::none:
      return false;
    case Kind::boolean:
    case Kind::integer:
      return value.integer() != 0;
    case Kind::real:
      return value.number() != 0;
    case Kind::text:
      return !value.bytes().empty();
    case Kind::sequence:
      return value.sequence().is_consumed_once() || !value.sequence().items.empty();
    case Kind::mapping:
      return !value.mapping().items.empty();
    case Kind::object:
      return true;
  }
  return false;
}

std::size_t length_of(const Rendering& rendering, const Value& value) {
  if (value.is(Kind::undefined)) return 0;
  if (value.is_text()) return value.text().num_characters;
  if (value.is(Kind::mapping)) return value.mapping().items.size();
  if (value.is(Kind::sequence) && !value.sequence().is_consumed_once())
    return value.sequence().items.size();
  rendering.fail("object of type '" + type_name(value) + "' has no len()");
}

bool is_iterable(const Value& value) {
  return value.is(Kind::undefined) || value.is_text() || value.is(Kind::sequence) ||
         value.is(Kind::mapping);
}

std::span<const Value> items_of(Rendering& rendering, const Value& value) {
  switch (value.kind()) {
    case Kind::undefined:
      return {};
    case Kind::text:
      return characters_of(rendering, value.text());
    case Kind::sequence:
      rendering.step_items(value.sequence().items.size());
      return taken_items(value.sequence());
    case Kind::mapping:
      return keys_of(rendering, value.mapping());
    default:
      rendering.fail("'" + type_name(value) + "' object is not iterable");
  }
}

}  // namespace speclab::templates
