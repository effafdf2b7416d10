// Equality, order and membership of values, and the keys of dicts.

#include <algorithm>

#include "engines/templates/python_values.h"
#include "engines/templates/text_search.h"

namespace speclab::templates {
namespace {

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
    return std::ranges::equal(a.items, b.items,
                              [this](const Value& x, const Value& y) { return are_equal(x, y); });
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
