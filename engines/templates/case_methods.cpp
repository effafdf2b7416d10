#include <algorithm>
#include <map>

#include "engines/templates/characters.h"
#include "engines/templates/functions.h"
#include "engines/templates/python.h"

namespace speclab::templates {
namespace {

template <std::string (*change)(std::string_view)>
Value changed(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "a method of case", arguments, {});
  rendering.step_characters(self.bytes().size());
  return rendering.make_text(change(self.bytes()), self.text().is_markup);
}

/// Words of one letter are a conversion for every other byte.
Value titled(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  rendering.step_texts(self.bytes().size());
  return changed<titlecase>(rendering, self, arguments);
}

Value swapped_case(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "swapcase", arguments, {});
  rendering.step_texts(self.bytes().size());
  std::string text;
  for (const char32_t character : characters_of(self.bytes())) {
    std::string one;
    append_utf8(character, one);
    text += is_upper(character) ? lowercase(one) : uppercase(one);
  }
  return rendering.make_text(std::move(text));
}

/// Whether all characters are of a class, and there is one.
template <bool (*is_of_class)(char32_t)>
Value all_are(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "a method of classes", arguments, {});
  rendering.step_characters(self.bytes().size());
  const std::u32string characters = characters_of(self.bytes());
  return Value(!characters.empty() && std::ranges::all_of(characters, is_of_class));
}

bool is_alphanumeric(char32_t c) { return is_alphabetic(c) || is_numeric(c) || is_digit(c); }

Value is_all_ascii(Rendering&, const Value& self, const CallArguments&) {
  return Value(self.text().is_ascii());
}

Value is_printable_text(Rendering& rendering, const Value& self, const CallArguments&) {
  rendering.step_characters(self.bytes().size());
  return Value(std::ranges::all_of(characters_of(self.bytes()), is_shown_by_repr));
}

/// Whether there are cased characters, and all of them are of one case.
template <bool (*is_case)(char32_t)>
Value cased_are(Rendering& rendering, const Value& self, const CallArguments&) {
  rendering.step_characters(self.bytes().size());
  bool has_cased = false;
  for (const char32_t character : characters_of(self.bytes())) {
    if (is_case(character))
      has_cased = true;
    else if (is_upper(character) || is_lower(character) || is_title(character))
      return Value(false);
  }
  return Value(has_cased);
}

Value is_titled(Rendering& rendering, const Value& self, const CallArguments&) {
  rendering.step_characters(self.bytes().size());
  bool is_behind_cased = false, has_cased = false;
  for (const char32_t character : characters_of(self.bytes())) {
    const bool is_large = is_upper(character) || is_title(character);
    if ((is_large && is_behind_cased) || (is_lower(character) && !is_behind_cased))
      return Value(false);
    is_behind_cased = is_large || is_lower(character);
    has_cased = has_cased || is_behind_cased;
  }
  return Value(has_cased);
}

Value is_identifier(Rendering& rendering, const Value& self, const CallArguments&) {
  rendering.step_characters(self.bytes().size());
  const std::u32string characters = characters_of(self.bytes());
  const auto may_begin = [](char32_t c) { return c == '_' || is_alphabetic(c); };
  return Value(
      !characters.empty() && may_begin(characters[0]) &&
      std::ranges::all_of(characters, [&](char32_t c) { return may_begin(c) || is_digit(c); }));
}

/// How many fill characters a width asks for. @throws TemplateError if they are too many
/// @param fill_bytes  of one of them
std::size_t fill_count(Rendering& rendering, const Text& text, Integer width,
                       std::size_t fill_bytes) {
  const auto size = static_cast<Integer>(text.num_characters);
  if (width <= size) return 0;
  if (width > static_cast<Integer>(rendering.limits().text_bytes))
    rendering.fail_limit("bytes of one text " + std::to_string(rendering.limits().text_bytes));
  const auto count = static_cast<std::size_t>(width - size);
  rendering.expect_text_size(text.bytes.size() + count * fill_bytes);
  return count;
}

enum class Align : std::uint8_t { left, right, center };

template <Align align>
Value aligned(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "a method of width", arguments, {"width", "fillchar?"});
  const std::string fill = given.text(1, " ");
  rendering.step_bytes(2 * fill.size());
  if (count_characters(fill) != 1)
    rendering.fail("the fill character must be exactly one character long");
  const std::size_t width = static_cast<std::size_t>(std::max<Integer>(given.integer(0), 0));
  const std::size_t count = fill_count(rendering, self.text(), given.integer(0), fill.size());
  // @source CPython: an odd rest goes to the left where the width is odd
  const std::size_t left = align == Align::left    ? 0
                           : align == Align::right ? count
                                                   : count / 2 + (count & width & 1);
  return rendering.make_text(repeated(fill, left) + self.bytes() + repeated(fill, count - left));
}

Value zero_filled(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "zfill", arguments, {"width"});
  const std::string zeros(fill_count(rendering, self.text(), given.integer(0), 1), '0');
  const std::string& text = self.bytes();
  const std::size_t sign = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  return rendering.make_text(text.substr(0, sign) + zeros + text.substr(sign));
}

Value with_spaces_for_tabs(Rendering& rendering, const Value& self,
                           const CallArguments& arguments) {
  const Parameters given(rendering, "expandtabs", arguments, {"tabsize?"});
  const Integer size = std::clamp<Integer>(given.integer(0, 8), 0, 1000);
  rendering.step_bytes(4 * self.bytes().size());
  std::string text;
  Integer column = 0;
  for (const char byte : self.bytes()) {
    rendering.expect_text_size(text.size());
    if (byte == '\t') {
      const Integer fill = size > 0 ? size - column % size : 0;
      text.append(static_cast<std::size_t>(fill), ' ');
      column += fill;
      continue;
    }
    text.push_back(byte);
    column = byte == '\n' || byte == '\r' ? 0 : column + (continues_character(byte) ? 0 : 1);
  }
  return rendering.make_text(std::move(text));
}

}  // namespace

const MethodTable& case_methods() {
  static const MethodTable methods = {
      {"capitalize", changed<capitalised>},
      {"casefold", changed<casefolded>},
      {"center", aligned<Align::center>},
      {"expandtabs", with_spaces_for_tabs},
      {"isalnum", all_are<is_alphanumeric>},
      {"isalpha", all_are<is_alphabetic>},
      {"isascii", is_all_ascii},
      {"isdecimal", all_are<is_decimal>},
      {"isdigit", all_are<is_digit>},
      {"isidentifier", is_identifier},
      {"islower", cased_are<is_lower>},
      {"isnumeric", all_are<is_numeric>},
      {"isprintable", is_printable_text},
      {"isspace", all_are<is_space>},
      {"istitle", is_titled},
      {"isupper", cased_are<is_upper>},
      {"ljust", aligned<Align::left>},
      {"lower", changed<lowercase>},
      {"rjust", aligned<Align::right>},
      {"swapcase", swapped_case},
      {"title", titled},
      {"upper", changed<uppercase>},
      {"zfill", zero_filled},
  };
  return methods;
}

}  // namespace speclab::templates
