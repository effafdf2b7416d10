// Methods of Python's str that cut, join and replace parts, and those of lists, tuples and dicts
// that change nothing.

#include <algorithm>
#include <map>

#include "engines/templates/characters.h"
#include "engines/templates/functions.h"
#include "engines/templates/python.h"

namespace speclab::templates {
namespace {

template <Side side>
Value strip(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "strip", arguments, {"chars?"});
  if (!given[0].is_none()) return stripped_text(rendering, self.bytes(), side, &given.text(0));
  const Value text = stripped_text(rendering, self.bytes(), side);
  return self.text().is_markup ? rendering.make_text(text.bytes(), true) : text;
}

Value replace_part(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "replace", arguments, {"old", "new", "count?"});
  return rendering.make_text(
      replaced(rendering, self.bytes(), given.text(0), given.text(1), given.integer(2, -1)));
}

template <bool at_end>
Value without_affix(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, at_end ? "removesuffix" : "removeprefix", arguments,
                         {at_end ? "suffix" : "prefix"});
  std::string_view text = self.bytes(), affix = given.text(0);
  rendering.step_bytes(std::min(text.size(), affix.size()));
  if (at_end && text.ends_with(affix)) text.remove_suffix(affix.size());
  if (!at_end && text.starts_with(affix)) text.remove_prefix(affix.size());
  return rendering.make_text(std::string(text));
}

Value join_texts(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "join", arguments, {"iterable"});
  std::string text;
  const char* between = "";
  for (const Value& item : items_of(rendering, given[0])) {
    if (!item.is_text())
      rendering.fail("join: an item of type " + type_name(item) + "; allowed: str");
    rendering.step();
    rendering.expect_text_size(text.size() + self.bytes().size() + item.bytes().size());
    if (*between) text += self.bytes();
    text += item.bytes();
    between = ",";
  }
  return rendering.make_text(std::move(text));
}

Value format_fields(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  return formatted_by_braces(rendering, self.bytes(), arguments);
}

template <bool from_right>
Value partition(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "partition", arguments, {"sep"});
  const std::string& text = self.bytes();
  const std::string& separator = given.text(0);
  if (separator.empty()) rendering.fail("partition: empty separator");
  const std::size_t at = from_right ? found_from_right(rendering, text, separator)
                                    : found_from_left(rendering, text, separator);
  const auto part = [&](std::string_view piece) { return rendering.make_text(std::string(piece)); };
  const std::string_view whole = text;
  if (at == text.npos) {
    const Value empty = part(""), all = part(whole);
    return rendering.make_sequence(SequenceKind::tuple, from_right
                                                            ? std::vector{empty, part(""), all}
                                                            : std::vector{all, empty, part("")});
  }
  return rendering.make_sequence(SequenceKind::tuple, {part(whole.substr(0, at)), part(separator),
                                                       part(whole.substr(at + separator.size()))});
}

Value get(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "get", arguments, {"key", "default?"});
  expect_hashable(rendering, given[0]);
  const Value* item = item_of(rendering, self.mapping(), given[0]);
  return item ? *item : given[1];
}

/// Keys, values or items of a dict.
template <SequenceKind kind>
Value view(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "a view of a dict", arguments, {});
  std::vector<Value> parts;
  parts.reserve(self.mapping().items.size());
  for (const auto& [key, value] : self.mapping().items)
    parts.push_back(kind == SequenceKind::dict_keys ? key
                    : kind == SequenceKind::dict_values
                        ? value
                        : rendering.make_sequence(SequenceKind::tuple, {key, value}));
  return rendering.make_sequence(kind, std::move(parts));
}

Value copied_mapping(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "copy", arguments, {});
  return rendering.make_mapping(self.mapping());
}

Value copied_list(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "copy", arguments, {});
  return rendering.make_list(self.sequence().items);
}

Value index_in(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "index", arguments, {"value", "start?", "stop?"});
  const std::vector<Value>& items = self.sequence().items;
  const auto size = static_cast<Integer>(items.size());
  const auto bound = [&](std::size_t i, Integer missing) {
    const Integer at = given.integer(i, missing);
    return std::clamp<Integer>(at < 0 ? at + size : at, 0, size);
  };
  for (Integer i = bound(1, 0); i < bound(2, size); ++i)
    if (are_equal(rendering, items[static_cast<std::size_t>(i)], given[0])) return Value(i);
  rendering.fail("index: " + repr(rendering, given[0]) + " is not in " + type_name(self));
}

Value count_in(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "count", arguments, {"value"});
  return Value::of_count(
      static_cast<std::size_t>(std::ranges::count_if(self.sequence().items, [&](const Value& item) {
        return are_equal(rendering, item, given[0]);
      })));
}

}  // namespace

Value stripped_text(Rendering& rendering, std::string_view text, Side side,
                    const std::string* set) {
  if (set) rendering.step(set->size());  // a table of its characters is made
  const std::string_view rest =
      set ? without_characters(text, characters_of(*set), side) : without_spaces(text, side);
  rendering.step_characters(text.size() - rest.size());
  return rendering.make_text(std::string(rest));
}

std::string replaced(Rendering& rendering, std::string_view text, std::string_view old,
                     std::string_view with, Integer most) {
  std::string result;
  std::size_t at = 0;
  const auto add = [&](std::string_view piece) {
    rendering.expect_text_size(result.size() + piece.size());
    result += piece;
  };
  rendering.step_bytes(text.size() * 2);
  if (old.empty()) rendering.step_characters(text.size());
  for (Integer done = 0; most < 0 || done < most; ++done) {
    if (old.empty()) {  // between all characters, and at both ends
      add(with);
      if (at == text.size()) return result;
      std::size_t next = at + 1;
      while (next < text.size() && continues_character(text[next])) ++next;
      add(text.substr(at, next - at));
      at = next;
      continue;
    }
    const std::size_t found = found_from_left(rendering, text, old, at);
    if (found == text.npos) break;
    add(text.substr(at, found - at));
    add(with);
    at = found + old.size();
  }
  add(text.substr(at));
  return result;
}

const MethodTable& cutting_methods() {
  static const MethodTable methods = {
      {"format", format_fields},
      {"join", join_texts},
      {"lstrip", strip<Side::left>},
      {"partition", partition<false>},
      {"removeprefix", without_affix<false>},
      {"removesuffix", without_affix<true>},
      {"replace", replace_part},
      {"rpartition", partition<true>},
      {"rstrip", strip<Side::right>},
      {"strip", strip<Side::both>},
  };
  return methods;
}

Method text_method(const std::string& name) {
  for (const MethodTable* table : {&cutting_methods(), &searching_methods(), &case_methods()})
    if (const auto found = table->find(name); found != table->end()) return found->second;
  return nullptr;
}

Method container_method(const Value& value, const std::string& name) {
  if (value.is(Kind::mapping)) {
    if (name == "get") return get;
    if (name == "items") return view<SequenceKind::dict_items>;
    if (name == "keys") return view<SequenceKind::dict_keys>;
    if (name == "values") return view<SequenceKind::dict_values>;
    return name == "copy" ? copied_mapping : nullptr;
  }
  if (!value.is(Kind::sequence) || !value.sequence().has_subscripts()) return nullptr;
  if (name == "index") return index_in;
  if (name == "count") return count_in;
  return name == "copy" && value.sequence().kind == SequenceKind::list ? copied_list : nullptr;
}

}  // namespace speclab::templates
