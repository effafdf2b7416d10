// Python's types, truth, lengths and items, equality, order and membership, and the keys of dicts.

#include <algorithm>

#include "engines/templates/characters.h"
#include "engines/templates/python.h"

namespace speclab::templates {
namespace {

/// In the order of SequenceKind.
constexpr const char* kSequenceNames[] = {"list",        "tuple",      "range",     "dict_keys",
                                          "dict_values", "dict_items", "generator", "iterator"};

std::span<const Value> texts_of_characters(Rendering& rendering, const Text& text) {
  std::vector<Value> characters;
  for (const char32_t character : characters_of(text.bytes))
    characters.push_back(rendering.make_text(utf8_of(character)));
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

/// @param depth  of the lists and dicts around both
bool are_equal_at(Rendering& rendering, const Value& a, const Value& b, std::size_t depth) {
  rendering.step();
  if (a.is_number() && b.is_number())
    return a.is_whole() && b.is_whole() ? a.integer() == b.integer() : a.number() == b.number();
  if (a.kind() != b.kind()) return false;
  const Level level(rendering, depth, rendering.limits().value_depth, "levels of values");
  if (a.is_text()) {
    rendering.step_bytes(std::min(a.bytes().size(), b.bytes().size()));
    return a.bytes() == b.bytes();
  }
  if (a.is(Kind::sequence)) {
    const Sequence &left = a.sequence(), &right = b.sequence();
    if (&left == &right) return true;
    return left.kind == right.kind && !left.is_consumed_once() &&
           std::ranges::equal(left.items, right.items, [&](const Value& x, const Value& y) {
             return are_equal_at(rendering, x, y, depth);
           });
  }
  if (a.is(Kind::mapping)) {
    const auto &left = a.mapping().items, &right = b.mapping().items;
    return left.size() == right.size() && std::ranges::all_of(left, [&](const auto& item) {
             const Value* other = item_of(rendering, b.mapping(), item.first);
             return other && are_equal_at(rendering, item.second, *other, depth);
           });
  }
  return !a.is(Kind::object) || &a.object() == &b.object();
}

int sign_of(double difference) { return difference < 0 ? -1 : difference > 0 ? 1 : 0; }

}  // namespace

std::string type_name(const Value& value) {
  constexpr const char* kNames[] = {"Undefined", "NoneType", "bool", "int", "float"};
  if (value.is_text()) return value.text().is_markup ? "Markup" : "str";
  if (value.is(Kind::sequence))
    return kSequenceNames[static_cast<std::size_t>(value.sequence().kind)];
  if (value.is(Kind::mapping)) return "dict";
  if (value.is(Kind::object)) return value.object().type_name();
  return kNames[static_cast<std::size_t>(value.kind())];
}

bool is_true(const Value& value) {
  if (value.is_number()) return value.number() != 0;
  if (value.is_text()) return !value.bytes().empty();
  if (value.is(Kind::mapping)) return !value.mapping().items.empty();
  if (value.is(Kind::sequence))
    return value.sequence().is_consumed_once() || !value.sequence().items.empty();
  return value.is(Kind::object);
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
      return texts_of_characters(rendering, value.text());
    case Kind::sequence:
      rendering.step_items(value.sequence().items.size());
      return taken_items(value.sequence());
    case Kind::mapping:
      return keys_of(rendering, value.mapping());
    default:
      rendering.fail("'" + type_name(value) + "' object is not iterable");
  }
}

bool are_equal(Rendering& rendering, const Value& left, const Value& right) {
  return are_equal_at(rendering, left, right, 0);
}

int compared(Rendering& rendering, const Value& a, const Value& b, const char* sign) {
  rendering.step();
  if (a.is_whole() && b.is_whole())
    return a.integer() < b.integer() ? -1 : a.integer() > b.integer() ? 1 : 0;
  if (a.is_number() && b.is_number()) return sign_of(a.number() - b.number());
  if (a.is_text() && b.is_text()) {
    rendering.step_bytes(std::min(a.bytes().size(), b.bytes().size()));
    return a.bytes().compare(b.bytes());
  }
  const bool are_rows = a.is(Kind::sequence) && b.is(Kind::sequence) &&
                        a.sequence().kind == b.sequence().kind &&
                        a.sequence().kind <= SequenceKind::tuple;
  if (!are_rows) {
    if (a.is(Kind::undefined)) rendering.fail(a.undefined().message);
    if (b.is(Kind::undefined)) rendering.fail(b.undefined().message);
    rendering.fail(std::string("'") + sign + "' not supported between instances of '" +
                   type_name(a) + "' and '" + type_name(b) + "'");
  }
  const std::vector<Value>& left = a.sequence().items;
  const std::vector<Value>& right = b.sequence().items;
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i)
    if (!are_equal(rendering, left[i], right[i])) {
      if (left[i].is(Kind::sequence)) rendering.fail("lists in lists are not compared");
      return compared(rendering, left[i], right[i], sign);
    }
  return sign_of(static_cast<double>(left.size()) - static_cast<double>(right.size()));
}

bool contains(Rendering& rendering, const Value& container, const Value& item) {
  if (container.is_text()) {
    if (item.is(Kind::undefined)) rendering.fail(item.undefined().message);
    if (!item.is_text())
      rendering.fail("'in <string>' requires string as left operand, not " + type_name(item));
    rendering.step_bytes(container.bytes().size() * 4);
    return found_from_left(rendering, container.bytes(), item.bytes()) != std::string::npos;
  }
  if (container.is(Kind::mapping)) {
    expect_hashable(rendering, item);
    return item_of(rendering, container.mapping(), item) != nullptr;
  }
  if (!is_iterable(container))
    rendering.fail("argument of type '" + type_name(container) + "' is not iterable");
  return std::ranges::any_of(items_of(rendering, container),
                             [&](const Value& each) { return are_equal(rendering, each, item); });
}

void expect_hashable(Rendering& rendering, const Value& value) {
  const bool is_list = value.is(Kind::sequence) && value.sequence().kind == SequenceKind::list;
  if (is_list || value.is(Kind::mapping))
    rendering.fail("unhashable type: '" + type_name(value) + "'");
  if (!value.is(Kind::sequence) || value.sequence().kind != SequenceKind::tuple) return;
  rendering.step_items(value.sequence().items.size());
  for (const Value& item : value.sequence().items)
    if (item.is(Kind::mapping) || item.is(Kind::sequence))
      rendering.fail("unhashable type: '" + type_name(item) + "' in a tuple");
}

const Value* item_of_text(Rendering& rendering, const Mapping& mapping, std::string_view key) {
  rendering.step_items(mapping.items.size());
  for (const auto& [name, value] : mapping.items) {
    if (!name.is_text() || name.bytes().size() != key.size()) continue;
    rendering.step_bytes(key.size());
    if (name.bytes() == key) return &value;
  }
  return nullptr;
}

const Value* item_of(Rendering& rendering, const Mapping& mapping, const Value& key) {
  if (key.is_text()) return item_of_text(rendering, mapping, key.bytes());
  rendering.step_items(mapping.items.size());
  for (const auto& [name, value] : mapping.items)
    if (are_equal(rendering, name, key)) return &value;
  return nullptr;
}

void set_item(Rendering& rendering, Mapping& mapping, const Value& key, const Value& value) {
  expect_hashable(rendering, key);
  if (const Value* old = item_of(rendering, mapping, key))
    *const_cast<Value*>(old) = value;
  else
    mapping.items.emplace_back(key, value);
}

}  // namespace speclab::templates
