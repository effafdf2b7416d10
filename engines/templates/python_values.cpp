#include "engines/templates/python_values.h"

#include <algorithm>
#include <cmath>

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

/// Equality with the depth of lists in lists counted.
class Equality {
 public:
  explicit Equality(Rendering& rendering) : rendering_(rendering) {}

  bool are_equal(const Value& a, const Value& b) {
    rendering_.step();
    if (a.is_number() && b.is_number())
      return a.is_whole() && b.is_whole() ? a.integer() == b.integer() : a.number() == b.number();
    if (a.kind() != b.kind()) return false;
    const Level level(rendering_, depth_, rendering_.limits().value_depth, "levels of values");
    switch (a.kind()) {
      case Kind::text:
        rendering_.step_bytes(std::min(a.bytes().size(), b.bytes().size()));
        return a.bytes() == b.bytes();
      case Kind::sequence:
        return are_equal(a.sequence(), b.sequence());
      case Kind::mapping:
        return are_equal(a.mapping(), b.mapping());
      case Kind::object:
        return &a.object() == &b.object();
      default:
        return true;
    }
  }

 private:
  bool are_equal(const Sequence& a, const Sequence& b) {
    if (&a == &b) return true;
    if (a.kind != b.kind || a.is_consumed_once() || a.items.size() != b.items.size()) return false;
    return std::ranges::equal(
        a.items, b.items, [this](const Value& x, const Value& y) { return are_equal(x, y); });
  }
  bool are_equal(const Mapping& a, const Mapping& b) {
    if (a.items.size() != b.items.size()) return false;
    return std::ranges::all_of(a.items, [&](const auto& item) {
      const Value* other = item_of(rendering_, b, item.first);
      return other && are_equal(item.second, *other);
    });
  }

  Rendering& rendering_;
  std::size_t depth_ = 0;
};

int sign_of(double difference) { return difference < 0 ? -1 : difference > 0 ? 1 : 0; }

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
  if (value.is_text()) return num_characters(value.text());
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

bool are_equal(Rendering& rendering, const Value& left, const Value& right) {
  return Equality(rendering).are_equal(left, right);
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
    return container.bytes().find(item.bytes()) != std::string::npos;
  }
  if (container.is(Kind::mapping)) {
    expect_hashable(rendering, item);
    return item_of(rendering, container.mapping(), item) != nullptr;
  }
  if (!is_iterable(container))
    rendering.fail("argument of type '" + type_name(container) + "' is not iterable");
  return std::ranges::any_of(items_of(rendering, container), [&](const Value& each) {
    return are_equal(rendering, each, item);
  });
}

void expect_hashable(const Rendering& rendering, const Value& value) {
  const bool is_list = value.is(Kind::sequence) && value.sequence().kind == SequenceKind::list;
  if (is_list || value.is(Kind::mapping))
    rendering.fail("unhashable type: '" + type_name(value) + "'");
  if (value.is(Kind::sequence) && value.sequence().kind == SequenceKind::tuple)
    for (const Value& item : value.sequence().items)
      if (item.is(Kind::mapping) || item.is(Kind::sequence))
        rendering.fail("unhashable type: '" + type_name(item) + "' in a tuple");
}

const Value* item_of(Rendering& rendering, const Mapping& mapping, const Value& key) {
  rendering.step_items(mapping.items.size());
  if (key.is_text()) return mapping.find(key.bytes());
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
