// Methods of Python's str that cut, join and replace parts.

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

Value remove_prefix(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "removeprefix", arguments, {"prefix"});
  rendering.step_bytes(std::min(self.bytes().size(), given.text(0).size()));
  const bool has_it = self.bytes().starts_with(given.text(0));
  return rendering.make_text(self.bytes().substr(has_it ? given.text(0).size() : 0));
}

Value remove_suffix(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "removesuffix", arguments, {"suffix"});
  rendering.step_bytes(std::min(self.bytes().size(), given.text(0).size()));
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
      {"format", format_fields},       {"join", join_texts},
      {"lstrip", strip<Side::left>},   {"partition", partition<false>},
      {"removeprefix", remove_prefix}, {"removesuffix", remove_suffix},
      {"replace", replace_part},       {"rpartition", partition<true>},
      {"rstrip", strip<Side::right>},  {"strip", strip<Side::both>},
  };
  return methods;
}

}  // namespace

Value stripped_text(Rendering& rendering, std::string_view text, Side side,
                    const std::string* set) {
  if (set) rendering.step(set->size());  // a table of its characters is made
  const std::string_view rest =
      set ? without_characters(text, code_points(*set), side) : without_spaces(text, side);
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
  if (const Method method = searching_method(name)) return method;
  if (const Method method = splitting_method(name)) return method;
  return class_method(name);
}

}  // namespace speclab::templates
