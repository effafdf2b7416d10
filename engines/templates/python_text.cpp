// str() and repr() of values.

#include <fmt/format.h>

#include <cmath>

#include "engines/templates/characters.h"
#include "engines/templates/python.h"

namespace speclab::templates {
namespace {

void append_repr(Rendering& rendering, const Value& value, std::size_t depth, std::string& text);

void append_sequence(Rendering& rendering, const Value& value, std::size_t depth,
                     std::string& text) {
  const Sequence& sequence = value.sequence();
  if (sequence.kind == SequenceKind::range) {
    text += sequence.shown;
  } else if (sequence.is_consumed_once()) {
    text += "<" + type_name(value) + " object>";
  } else {
    const bool is_list = sequence.kind == SequenceKind::list;
    const bool is_tuple = sequence.kind == SequenceKind::tuple;
    text += is_list ? "[" : is_tuple ? "(" : type_name(value) + "([";
    const char* between = "";
    for (const Value& item : sequence.items) {
      text += between;
      append_repr(rendering, item, depth, text);
      between = ", ";
    }
    text += is_list ? "]" : !is_tuple ? "])" : sequence.items.size() == 1 ? ",)" : ")";
  }
}

void append_mapping(Rendering& rendering, const Mapping& mapping, std::size_t depth,
                    std::string& text) {
  const char* between = "{";
  for (const auto& [key, value] : mapping.items) {
    text += between;
    append_repr(rendering, key, depth, text);
    text += ": ";
    append_repr(rendering, value, depth, text);
    between = ", ";
  }
  text += mapping.items.empty() ? "{}" : "}";
}

/// @param depth  of the lists and dicts around the value
void append_repr(Rendering& rendering, const Value& value, std::size_t depth, std::string& text) {
  rendering.step();
  const Level level(rendering, depth, rendering.limits().value_depth, "levels of values");
  rendering.expect_text_size(text.size());
  if (value.is(Kind::sequence)) return append_sequence(rendering, value, depth, text);
  if (value.is(Kind::mapping)) return append_mapping(rendering, value.mapping(), depth, text);
  if (!value.is_text()) {
    text += value.is(Kind::undefined) ? "Undefined" : str(rendering, value);
    return;
  }
  rendering.step_characters(value.bytes().size());
  const std::string quoted = repr_of_text(value.bytes());
  text += value.text().is_markup ? "Markup(" + quoted + ")" : quoted;
}

}  // namespace

std::string integer_text(Integer number) { return fmt::format("{}", number); }

std::string real_text(double number) {
  if (std::isnan(number)) return "nan";
  const std::string text = fmt::format("{}", number);
  return text.find_first_of(".ein") == std::string::npos ? text + ".0" : text;
}

std::string repr_of_text(std::string_view text) {
  const bool has_single = text.find('\'') != text.npos, has_double = text.find('"') != text.npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  std::string shown(1, quote);
  for (const char32_t c : characters_of(text)) {
    if (c == static_cast<unsigned char>(quote) || c == '\\')
      (shown += '\\') += static_cast<char>(c);
    else if (c == '\n' || c == '\r' || c == '\t')
      shown += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
    else if (is_shown_by_repr(c))
      append_utf8(c, shown);
    else
      shown += c < 0x100     ? fmt::format("\\x{:02x}", static_cast<unsigned>(c))
               : c < 0x10000 ? fmt::format("\\u{:04x}", static_cast<unsigned>(c))
                             : fmt::format("\\U{:08x}", static_cast<unsigned>(c));
  }
  return shown + quote;
}

std::string repr(Rendering& rendering, const Value& value) {
  std::string text;
  append_repr(rendering, value, 0, text);
  return text;
}

std::string str(Rendering& rendering, const Value& value) {
  switch (value.kind()) {
    case Kind::undefined:
      return "";
    case Kind::none:
      return "None";
    case Kind::boolean:
      return value.boolean() ? "True" : "False";
    case Kind::integer:
      return integer_text(value.integer());
    case Kind::real:
      return real_text(value.number());
    case Kind::text:
      rendering.step_bytes(value.bytes().size());
      return value.bytes();
    case Kind::object:
      return value.object().shown(rendering);
    default:
      return repr(rendering, value);
  }
}

}  // namespace speclab::templates
