// str() and repr() of values.

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "engines/templates/characters.h"
#include "engines/templates/python_values.h"

namespace speclab::templates {
namespace {

/// Writes values as Python's repr does.
class ReprWriter {
 public:
  explicit ReprWriter(Rendering& rendering) : rendering_(rendering) {}

  void write(const Value& value) {
    rendering_.step();
    const Level level(rendering_, depth_, rendering_.limits().value_depth, "levels of values");
    rendering_.expect_text_size(text_.size());
    switch (value.kind()) {
      case Kind::undefined:
        text_ += "Undefined";
        return;
      case Kind::text:
        rendering_.step_characters(value.bytes().size());
        text_ += value.text().is_markup ? "Markup(" + repr_of_text(value.bytes()) + ")"
                                        : repr_of_text(value.bytes());
        return;
      case Kind::sequence:
        write(value.sequence());
        return;
      case Kind::mapping:
        write(value.mapping());
        return;
      default:
        text_ += str(rendering_, value);
    }
  }
  std::string take() { return std::move(text_); }

 private:
  void write_items(const std::vector<Value>& items) {
    const char* between = "";
    for (const Value& item : items) {
      text_ += between;
      write(item);
      between = ", ";
    }
  }
  void write(const Sequence& sequence) {
    switch (sequence.kind) {
      case SequenceKind::range:
        text_ += sequence.shown;
        return;
      case SequenceKind::generator:
      case SequenceKind::iterator:
        text_ += "<" + type_name(Value(const_cast<Sequence*>(&sequence))) + " object>";
        return;
      case SequenceKind::tuple:
        text_ += "(";
        write_items(sequence.items);
        text_ += sequence.items.size() == 1 ? ",)" : ")";
        return;
      case SequenceKind::list:
        text_ += "[";
        write_items(sequence.items);
        text_ += "]";
        return;
      default:
        text_ += type_name(Value(const_cast<Sequence*>(&sequence))) + "([";
        write_items(sequence.items);
        text_ += "])";
    }
  }
  void write(const Mapping& mapping) {
    text_ += "{";
    const char* between = "";
    for (const auto& [key, value] : mapping.items) {
      text_ += between;
      write(key);
      text_ += ": ";
      write(value);
      between = ", ";
    }
    text_ += "}";
  }

  Rendering& rendering_;
  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string integer_text(Integer number) {
  if (number == 0) return "0";
  std::string digits;
  const bool is_negative = number < 0;
  for (; number != 0; number /= 10) {
    const int digit = static_cast<int>(number % 10);
    digits.push_back(static_cast<char>('0' + (digit < 0 ? -digit : digit)));
  }
  if (is_negative) digits.push_back('-');
  return {digits.rbegin(), digits.rend()};
}

std::string real_text(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  char buffer[64];
  const auto scientific =
      std::to_chars(buffer, buffer + sizeof(buffer), number, std::chars_format::scientific);
  const std::string shortest(buffer, scientific.ptr);
  const std::size_t e = shortest.find('e');
  const int exponent = std::stoi(shortest.substr(e + 1));
  // Python changes to an exponent below 1e-4 and from 1e16 on.
  if (exponent < -4 || exponent >= 16) return shortest;
  const auto fixed =
      std::to_chars(buffer, buffer + sizeof(buffer), number, std::chars_format::fixed);
  std::string text(buffer, fixed.ptr);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

std::string repr_of_text(std::string_view text) {
  const bool has_single = text.find('\'') != text.npos, has_double = text.find('"') != text.npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  std::string shown(1, quote);
  for (const char32_t c : code_points(text)) {
    if (c == static_cast<unsigned char>(quote) || c == '\\')
      (shown += '\\') += static_cast<char>(c);
    else if (c == '\n')
      shown += "\\n";
    else if (c == '\r')
      shown += "\\r";
    else if (c == '\t')
      shown += "\\t";
    else if (is_shown_by_repr(c))
      append_utf8(shown, c);
    else
      shown += c < 0x100     ? fmt::format("\\x{:02x}", static_cast<unsigned>(c))
               : c < 0x10000 ? fmt::format("\\u{:04x}", static_cast<unsigned>(c))
                             : fmt::format("\\U{:08x}", static_cast<unsigned>(c));
  }
  return shown + quote;
}

std::string repr(Rendering& rendering, const Value& value) {
  ReprWriter writer(rendering);
  writer.write(value);
  return writer.take();
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
