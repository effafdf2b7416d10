// Methods of Python's str that split a text into a list.

#include <algorithm>

#include "engines/templates/characters.h"
#include "engines/templates/python_values.h"
#include "engines/templates/text_classes.h"
#include "engines/templates/text_search.h"

namespace speclab::templates {
namespace {

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
                                       std::string_view separator, Integer most) {
  std::vector<std::string_view> parts;
  for (; most != 0; --most) {
    const std::size_t at = found_from_left(rendering, text, separator);
    if (at == text.npos) break;
    add_part(rendering, parts, text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  parts.push_back(text);
  return parts;
}

std::vector<std::string_view> split_at_from_right(Rendering& rendering, std::string_view text,
                                                  std::string_view separator, Integer most) {
  std::vector<std::string_view> parts;
  for (; most != 0; --most) {
    const std::size_t at = found_from_right(rendering, text, separator);
    if (at == text.npos) break;
    add_part(rendering, parts, text.substr(at + separator.size()));
    text = text.substr(0, at);
  }
  parts.push_back(text);
  std::ranges::reverse(parts);
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
    while (!rest.empty() && without_spaces(rest, near).size() == rest.size()) {
      std::size_t length = 1;
      const auto is_tail = [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
      };
      if (from_right) {
        while (is_tail(rest[rest.size() - length])) ++length;
        rest.remove_suffix(length);
      } else {
        while (length < rest.size() && is_tail(rest[length])) ++length;
        rest.remove_prefix(length);
      }
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
  const auto cut = from_right ? split_at_from_right : split_at;
  return list_of(rendering, cut(rendering, self.bytes(), given.text(0), most));
}

bool ends_line(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

Value split_lines(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "splitlines", arguments, {"keepends?"});
  const bool keeps_ends = given.truth(0, false);
  rendering.step_bytes(self.bytes().size() * 8);
  const std::u32string characters = code_points(self.bytes());
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

Method splitting_method(const std::string& name) {
  if (name == "split") return split<false>;
  if (name == "rsplit") return split<true>;
  return name == "splitlines" ? split_lines : nullptr;
}

}  // namespace speclab::templates
