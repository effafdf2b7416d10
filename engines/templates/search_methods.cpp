// Methods of Python's str that look for a part, say where or how often it is there, or split at it.

#include <algorithm>
#include <map>

#include "engines/templates/characters.h"
#include "engines/templates/functions.h"
#include "engines/templates/python.h"

namespace speclab::templates {
namespace {

/// Bytes begin to end of a text, for optional arguments that count characters.
std::string_view part_of(Rendering& rendering, const Text& text, const Parameters& given,
                         std::size_t first) {
  const auto size = static_cast<Integer>(text.num_characters);
  const auto bound = [&](std::size_t i, Integer missing) {
    const Integer at = given.integer(i, missing);
    return static_cast<std::size_t>(std::clamp<Integer>(at < 0 ? at + size : at, 0, size));
  };
  const std::size_t begin = bound(first, 0), end = bound(first + 1, size);
  if (begin > end) return {};
  if (begin == end) {  // a place, for which the empty text is found
    const std::size_t skipped = characters_between(rendering, text, 0, begin).size();
    return std::string_view(text.bytes).substr(skipped, 0);
  }
  return characters_between(rendering, text, begin, end);
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
  rendering.step_bytes(bytes);
  return static_cast<Integer>(count_characters(std::string_view(text.bytes).substr(0, bytes)));
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
  if (sought.empty()) {
    rendering.step_bytes(part.size());
    return Value::of_count(count_characters(part) + 1);
  }
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

Value list_of(Rendering& rendering, const std::vector<std::string_view>& parts) {
  std::vector<Value> items;
  items.reserve(parts.size());
  for (const std::string_view part : parts) items.push_back(rendering.make_text(std::string(part)));
  return rendering.make_list(std::move(items));
}

/// Adds a part, unless a rendering cannot make so many texts.
void add_part(const Rendering& rendering, std::vector<std::string_view>& parts,
              std::string_view part) {
  const std::size_t most = rendering.limits().made_bytes;
  if (parts.size() >= most / sizeof(Text))
    rendering.fail_limit("bytes of all values " + std::to_string(most));
  parts.push_back(part);
}

std::vector<std::string_view> split_at(Rendering& rendering, std::string_view text,
                                       std::string_view separator, Integer most, bool from_right) {
  std::vector<std::string_view> parts;
  for (; most != 0; --most) {
    const std::size_t at = from_right ? found_from_right(rendering, text, separator)
                                      : found_from_left(rendering, text, separator);
    if (at == text.npos) break;
    const std::string_view before = text.substr(0, at), behind = text.substr(at + separator.size());
    add_part(rendering, parts, from_right ? behind : before);
    text = from_right ? before : behind;
  }
  parts.push_back(text);
  if (from_right) std::ranges::reverse(parts);
  return parts;
}

/// At runs of blanks; no part is empty.
std::vector<std::string_view> split_at_spaces(const Rendering& rendering, std::string_view text,
                                              Integer most, bool from_right) {
  std::vector<std::string_view> parts;
  const Side near = from_right ? Side::right : Side::left;
  text = without_spaces(text, near);
  for (; most != 0 && !text.empty(); --most) {
    // A word is what goes when everything but blanks is stripped.
    std::string_view rest = text;
    while (!rest.empty() && !is_space(from_right ? last_character(rest) : first_character(rest))) {
      if (!from_right) {
        rest.remove_prefix(character_length(rest[0]));
        continue;
      }
      while (continues_character(rest.back())) rest.remove_suffix(1);
      rest.remove_suffix(1);
    }
    add_part(rendering, parts,
             from_right ? text.substr(rest.size()) : text.substr(0, text.size() - rest.size()));
    text = without_spaces(rest, near);
  }
  const std::string_view last = without_spaces(text, from_right ? Side::right : Side::left);
  if (!last.empty()) parts.push_back(last);
  if (from_right) std::ranges::reverse(parts);
  return parts;
}

template <bool from_right>
Value split(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, from_right ? "rsplit" : "split", arguments,
                         {"sep?", "maxsplit?"});
  const Integer most = given.integer(1, -1);
  rendering.step_bytes(self.bytes().size() * 4);
  if (given[0].is_none()) rendering.step_characters(self.bytes().size());
  if (given[0].is_none())
    return list_of(rendering, split_at_spaces(rendering, self.bytes(), most, from_right));
  if (given.text(0).empty()) rendering.fail("split: empty separator");
  return list_of(rendering, split_at(rendering, self.bytes(), given.text(0), most, from_right));
}

bool ends_line(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

Value split_lines(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "splitlines", arguments, {"keepends?"});
  const bool keeps_ends = given.truth(0, false);
  rendering.step_bytes(self.bytes().size() * 8);
  const std::u32string characters = characters_of(self.bytes());
  std::vector<Value> lines;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < characters.size(); ++i) {
    if (!ends_line(characters[i])) continue;
    const bool is_pair =
        characters[i] == '\r' && i + 1 < characters.size() && characters[i + 1] == '\n';
    const std::size_t next = i + (is_pair ? 2 : 1);
    lines.push_back(rendering.make_text(
        utf8_of(std::u32string_view(characters).substr(begin, (keeps_ends ? next : i) - begin))));
    begin = next;
    i = next - 1;
  }
  if (begin < characters.size())
    lines.push_back(rendering.make_text(utf8_of(std::u32string_view(characters).substr(begin))));
  return rendering.make_list(std::move(lines));
}

}  // namespace

const MethodTable& searching_methods() {
  static const MethodTable methods = {
      {"count", count},
      {"endswith", begins_or_ends<true>},
      {"find", find<false>},
      {"index", index<false>},
      {"rfind", find<true>},
      {"rindex", index<true>},
      {"rsplit", split<true>},
      {"split", split<false>},
      {"splitlines", split_lines},
      {"startswith", begins_or_ends<false>},
  };
  return methods;
}

}  // namespace speclab::templates
