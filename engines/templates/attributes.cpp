#include "engines/templates/functions.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "engines/templates/characters.h"
#include "engines/templates/python.h"

namespace speclab::templates {
namespace {

/// Methods that the sandbox hides, because they change their object.
bool changes_its_object(const Value& value, std::string_view name) {
  static constexpr std::array<std::string_view, 8> kOfLists = {
      "append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"};
  static constexpr std::array<std::string_view, 5> kOfMappings = {"clear", "pop", "popitem",
                                                                  "setdefault", "update"};
  if (value.is(Kind::mapping)) return std::ranges::find(kOfMappings, name) != kOfMappings.end();
  return value.is(Kind::sequence) && value.sequence().kind == SequenceKind::list &&
         std::ranges::find(kOfLists, name) != kOfLists.end();
}

Value missing_attribute(Rendering& rendering, const Value& value, const std::string& name) {
  rendering.step_characters(name.size());
  return rendering.make_undefined("'" + type_name(value) + " object' has no attribute " +
                                  repr_of_text(name));
}

Value unsafe_attribute(Rendering& rendering, const Value& value, const std::string& name) {
  return rendering.make_undefined("access to attribute " + repr_of_text(name) + " of '" +
                                  type_name(value) + "' object is unsafe");
}

/// Python's attribute, without a look at items. Nothing if there is none.
std::optional<Value> own_attribute(Rendering& rendering, const Value& value,
                                   const std::string& name) {
  if (value.is(Kind::object))
    if (const auto found = value.object().attribute(rendering, name)) return found;
  if (value.is(Kind::sequence) && value.sequence().is_group)
    if (name == "grouper" || name == "list")
      return value.sequence().items[name == "grouper" ? 0 : 1];
  if (changes_its_object(value, name)) return unsafe_attribute(rendering, value, name);
  if (const Method method = method_of(value, name))
    return Value(rendering.make_object<Function>(
        name, [method, value](Rendering& r, const CallArguments& arguments) {
          return method(r, value, arguments);
        }));
  if (name.starts_with("__") && (name == "__class__" || name == "__init__" || name == "__doc__" ||
                                 name == "__len__" || name == "__dict__" || name == "__iter__"))
    return unsafe_attribute(rendering, value, name);
  return std::nullopt;
}

/// An index from the end becomes one from the beginning. Nothing if it is outside.
std::optional<std::size_t> place_of(Integer index, std::size_t size) {
  const auto count = static_cast<Integer>(size);
  if (index < 0) index += count;
  if (index < 0 || index >= count) return std::nullopt;
  return static_cast<std::size_t>(index);
}

/// Python's item. Nothing where Python raises a TypeError or LookupError.
std::optional<Value> own_item(Rendering& rendering, const Value& value, const Value& index) {
  if (value.is(Kind::mapping)) {
    const bool is_key = !index.is(Kind::mapping) && !index.is(Kind::sequence);
    const Value* item =
        is_key || (index.is(Kind::sequence) && index.sequence().kind == SequenceKind::tuple)
            ? item_of(rendering, value.mapping(), index)
            : nullptr;
    return item ? std::optional(*item) : std::nullopt;
  }
  if (!index.is_whole()) return std::nullopt;
  if (value.is_text()) {
    const auto place = place_of(index.integer(), value.text().num_characters);
    if (!place) return std::nullopt;
    return rendering.make_text(
        std::string(characters_between(rendering, value.text(), *place, *place + 1)));
  }
  if (!value.is(Kind::sequence) || !value.sequence().has_subscripts()) return std::nullopt;
  const std::vector<Value>& items = value.sequence().items;
  const auto place = place_of(index.integer(), items.size());
  return place ? std::optional(items[*place]) : std::nullopt;
}

/// The first index of a slice, and the one behind its last. A negative stride goes from the end; an
/// index just before the beginning is then -1.
std::pair<Integer, Integer> ends_of_slice(const Value& begin, const Value& end, Integer stride,
                                          Integer size) {
  const Integer lowest = stride > 0 ? 0 : -1, highest = stride > 0 ? size : size - 1;
  const auto place = [&](const Value& bound, Integer missing) {
    if (bound.is_none()) return missing;
    const Integer at = bound.integer() < 0 ? bound.integer() + size : bound.integer();
    return std::clamp(at, lowest, highest);
  };
  return {place(begin, stride > 0 ? lowest : highest), place(end, stride > 0 ? highest : lowest)};
}

std::vector<std::size_t> places_of_slice(Integer first, Integer last, Integer stride,
                                         std::size_t size) {
  const auto count = static_cast<Integer>(size);
  std::vector<std::size_t> places;
  for (Integer i = first; stride > 0 ? i < last : i > last; i += stride) {
    places.push_back(static_cast<std::size_t>(i));
    if (stride > count || stride < -count) break;
  }
  return places;
}

}  // namespace

Method method_of(const Value& value, const std::string& name) {
  return value.is_text() ? text_method(name) : container_method(value, name);
}

Value attribute_of(Rendering& rendering, const Value& value, const std::string& name) {
  if (value.is(Kind::undefined)) rendering.fail(value.undefined().message);
  rendering.step_bytes(name.size());
  if (const auto found = own_attribute(rendering, value, name)) return *found;
  if (value.is(Kind::mapping))
    if (const Value* item = item_of_text(rendering, value.mapping(), name)) return *item;
  return missing_attribute(rendering, value, name);
}

Value item_at(Rendering& rendering, const Value& value, const Value& index) {
  if (value.is(Kind::undefined)) rendering.fail(value.undefined().message);
  if (const auto item = own_item(rendering, value, index)) return *item;
  if (index.is_text()) {
    rendering.step_bytes(index.bytes().size());
    if (const auto found = own_attribute(rendering, value, index.bytes())) return *found;
    return missing_attribute(rendering, value, index.bytes());
  }
  return rendering.make_undefined("'" + type_name(value) + " object' has no element " +
                                  repr(rendering, index));
}

Value slice_of(Rendering& rendering, const Value& value, const Value& begin, const Value& end,
               const Value& step) {
  for (const Value* bound : {&begin, &end, &step})
    if (!bound->is_none() && !bound->is_whole())
      rendering.fail("a slice with a bound of type " + type_name(*bound) +
                     "; allowed: int or none");
  if (value.is(Kind::undefined)) rendering.fail(value.undefined().message);
  const bool has_items = value.is(Kind::sequence) && value.sequence().has_subscripts();
  if (!value.is_text() && !has_items)
    rendering.fail("'" + type_name(value) + "' object has no slices");
  const std::size_t size = has_items ? value.sequence().items.size() : value.text().num_characters;
  const Integer stride = step.is_none() ? 1 : step.integer();
  if (stride == 0) rendering.fail("slice step cannot be zero");
  const auto [first, last] = ends_of_slice(begin, end, stride, static_cast<Integer>(size));
  if (value.is_text() && stride == 1)
    return rendering.make_text(std::string(characters_between(
        rendering, value.text(), static_cast<std::size_t>(first), static_cast<std::size_t>(last))));
  if (value.is_text()) rendering.step_characters(value.bytes().size());
  rendering.step_items(size);
  const std::vector<std::size_t> places = places_of_slice(first, last, stride, size);
  if (value.is_text()) {
    const std::u32string characters = characters_of(value.bytes());
    std::u32string chosen;
    for (const std::size_t place : places) chosen.push_back(characters[place]);
    return rendering.make_text(utf8_of(chosen));
  }
  std::vector<Value> items;
  for (const std::size_t place : places) items.push_back(value.sequence().items[place]);
  const bool is_tuple = value.sequence().kind == SequenceKind::tuple;
  return rendering.make_sequence(is_tuple ? SequenceKind::tuple : SequenceKind::list,
                                 std::move(items));
}

Value attribute_by_path(Rendering& rendering, const Value& value, const Value& path,
                        const Value& missing) {
  const auto or_missing = [&](const Value& part) {
    return part.is(Kind::undefined) && !missing.is_none() ? missing : part;
  };
  if (path.is_whole()) return or_missing(item_at(rendering, value, path));
  if (!path.is_text())
    rendering.fail("an attribute of type " + type_name(path) + "; allowed: str or int");
  Value found = value;
  std::string_view rest = path.bytes();
  for (bool more = true; more;) {
    const std::size_t dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    const bool is_number = error == std::errc{} && end == part.data() + part.size();
    found = or_missing(item_at(
        rendering, found,
        is_number ? Value(static_cast<Integer>(number)) : rendering.make_text(std::string(part))));
    more = dot != rest.npos;
    if (more) rest.remove_prefix(dot + 1);
  }
  return found;
}

Value called(Rendering& rendering, const Value& callee, const CallArguments& arguments) {
  if (callee.is(Kind::undefined)) rendering.fail(callee.undefined().message);
  if (!callee.is(Kind::object))
    rendering.fail("'" + type_name(callee) + "' object is not callable");
  return callee.object().call(rendering, arguments);
}

}  // namespace speclab::templates
