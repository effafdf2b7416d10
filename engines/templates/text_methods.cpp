// Methods of Python's str that look for, cut and replace parts.

#include <algorithm>
#include <map>

#include "engines/templates/attributes.h"
#include "engines/templates/characters.h"
#include "engines/templates/operators.h"
#include "engines/templates/python_values.h"
#include "engines/templates/text_classes.h"
#include "engines/templates/text_search.h"

namespace speclab::templates {
namespace {

/// Bytes begin to end of a text, for optional arguments that count characters.
std::string_view part_of(Rendering& rendering, const Text& text, const Parameters& given,
                         std::size_t first) {
  const auto size = static_cast<Integer>(num_characters(text));
  const auto bound = [&](std::size_t i, Integer missing) {
    const Integer at = given.integer(i, missing);
    return static_cast<std::size_t>(std::clamp<Integer>(at < 0 ? at + size : at, 0, size));
  };
  const std::size_t begin = bound(first, 0), end = bound(first + 1, size);
  if (begin > end) return {};
  rendering.step_bytes(text.bytes.size());
  const std::size_t skipped = characters_between(text, 0, begin).size();
  return std::string_view(text.bytes).substr(skipped, characters_between(text, begin, end).size());
}

/// The place of the text sought, in characters; nothing if it is not there.
std::optional<Integer> found_place(Rendering& rendering, const Text& text, const Parameters& given,
                                   bool from_right) {
  const std::string_view part = part_of(rendering, text, given, 1);
  if (part.data() == nullptr) return std::nullopt;
  const std::size_t at = from_right ? found_from_right(rendering, part, given.text(0))
                                    : found_from_left(rendering, part, given.text(0));
  if (at == part.npos) return std::nullopt;
  const auto bytes = static_cast<std::size_t>(part.data() - text.bytes.data()) + at;
  return static_cast<Integer>(
      num_characters(Text{text.bytes.substr(0, bytes), false, text.is_ascii}));
}

template <bool from_right>
Value find(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "find", arguments, {"sub", "start?", "end?"});
  return Value(found_place(rendering, self.text(), given, from_right).value_or(-1));
}

template <bool from_right>
Value index(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "index", arguments, {"sub", "start?", "end?"});
  const auto place = found_place(rendering, self.text(), given, from_right);
  if (!place) rendering.fail("index: substring not found");
  return Value(*place);
}

Value count(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "count", arguments, {"sub", "start?", "end?"});
  const std::string_view part = part_of(rendering, self.text(), given, 1);
  const std::string& sought = given.text(0);
  if (sought.empty())
    return Value::of_count(num_characters(Text{std::string(part), false, false}) + 1);
  std::size_t times = 0;
  for (std::size_t at = found_from_left(rendering, part, sought); at != part.npos;
       at = found_from_left(rendering, part, sought, at + sought.size()))
    ++times;
  return Value::of_count(times);
}

/// startswith and endswith take one text or a tuple of them.
template <bool at_end>
Value begins_or_ends(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, at_end ? "endswith" : "startswith", arguments,
                         {"prefix", "start?", "end?"});
  const std::string_view part = part_of(rendering, self.text(), given, 1);
  const auto matches = [&](const Value& affix) {
    if (!affix.is_text())
      rendering.fail(std::string(at_end ? "endswith" : "startswith") +
                     " first arg must be str or a tuple of str, not " + type_name(affix));
    rendering.step();
    rendering.step_bytes(affix.bytes().size() <= part.size() ? affix.bytes().size() : 0);
    return at_end ? part.ends_with(affix.bytes()) : part.starts_with(affix.bytes());
  };
  if (given[0].is(Kind::sequence) && given[0].sequence().kind == SequenceKind::tuple)
    return Value(std::ranges::any_of(given[0].sequence().items, matches));
  return Value(matches(given[0]));
}

template <Side side>
Value strip(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "strip", arguments, {"chars?"});
  const std::string& text = self.bytes();
  if (given[0].is_none())
    return rendering.make_text(std::string(without_spaces(text, side)), self.text().is_markup);
  return rendering.make_text(
      std::string(without_characters(text, code_points(given.text(0)), side)));
}

Value replace_part(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "replace", arguments, {"old", "new", "count?"});
  return rendering.make_text(
      replaced(rendering, self.bytes(), given.text(0), given.text(1), given.integer(2, -1)));
}

Value remove_prefix(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "removeprefix", arguments, {"prefix"});
  const bool has_it = self.bytes().starts_with(given.text(0));
  return rendering.make_text(self.bytes().substr(has_it ? given.text(0).size() : 0));
}

Value remove_suffix(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "removesuffix", arguments, {"suffix"});
  const bool has_it = self.bytes().ends_with(given.text(0));
  return rendering.make_text(
      self.bytes().substr(0, self.bytes().size() - (has_it ? given.text(0).size() : 0)));
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

const std::map<std::string, Method, std::less<>>& cutting_methods() {
  static const std::map<std::string, Method, std::less<>> methods = {
      {"count", count},
      {"endswith", begins_or_ends<true>},
      {"find", find<false>},
      {"format", format_fields},
      {"index", index<false>},
      {"join", join_texts},
      {"lstrip", strip<Side::left>},
      {"partition", partition<false>},
      {"removeprefix", remove_prefix},
      {"removesuffix", remove_suffix},
      {"replace", replace_part},
      {"rfind", find<true>},
      {"rindex", index<true>},
      {"rpartition", partition<true>},
      {"rstrip", strip<Side::right>},
      {"startswith", begins_or_ends<false>},
      {"strip", strip<Side::both>},
  };
  return methods;
}

}  // namespace

std::string replaced(Rendering& rendering, std::string_view text, std::string_view old,
                     std::string_view with, Integer most) {
  std::string result;
  std::size_t at = 0;
  const auto add = [&](std::string_view piece) {
    rendering.expect_text_size(result.size() + piece.size());
    result += piece;
  };
  rendering.step_bytes(text.size() * 2);
  for (Integer done = 0; most < 0 || done < most; ++done) {
    if (old.empty()) {  // between all characters, and at both ends
      add(with);
      if (at == text.size()) return result;
      std::size_t next = at + 1;
      while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0) == 0x80) ++next;
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

Method text_method(const std::string& name) {
  if (const auto found = cutting_methods().find(name); found != cutting_methods().end())
    return found->second;
  if (const Method method = splitting_method(name)) return method;
  return class_method(name);
}

}  // namespace speclab::templates
