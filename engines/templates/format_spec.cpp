#include "engines/templates/format_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engines/templates/characters.h"
#include "engines/templates/python_values.h"

namespace speclab::templates {
namespace {

bool is_align(char32_t c) { return c == '<' || c == '>' || c == '^' || c == '='; }

std::string digits_of(Magnitude number, unsigned base, bool is_large) {
  std::string digits;
  do {
    const auto digit = static_cast<unsigned>(number % base);
    digits.push_back((is_large ? "0123456789ABCDEF" : "0123456789abcdef")[digit]);
    number /= base;
  } while (number != 0);
  std::ranges::reverse(digits);
  return digits;
}

std::string grouped(std::string digits, char mark) {
  const std::size_t end = std::min(digits.find_first_not_of("0123456789"), digits.size());
  if (mark != 0 && end > 3)
    for (std::size_t at = end - 3;; at -= 3) {
      digits.insert(at, 1, mark);
      if (at <= 3) break;
    }
  return digits;
}

std::string padded(const FormatSpec& spec, std::string sign, const std::string& body,
                   char usual_align) {
  const std::string text = sign + body;
  const std::size_t size = count_characters(text);
  if (size >= spec.width) return text;
  const std::size_t count = spec.width - size;
  const char align = spec.fill_zero && (spec.align == 0 || spec.align == '>') ? '='
                     : spec.align == 0                                        ? usual_align
                                                                              : spec.align;
  const std::string fill = spec.fill_zero ? "0" : spec.fill;
  const auto filled = [&](std::size_t times) {
    std::string result;
    for (std::size_t i = 0; i < times; ++i) result += fill;
    return result;
  };
  switch (align) {
    case '<':
      return text + filled(count);
    case '^':
      return filled(count / 2) + text + filled(count - count / 2);
    case '=':
      return sign + filled(count) + body;
    default:
      return filled(count) + text;
  }
}

std::string sign_of_number(const FormatSpec& spec, bool is_negative) {
  return is_negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
}

std::string formatted_whole(const FormatSpec& spec, Integer number) {
  const bool is_negative = number < 0;
  const std::string decimal = integer_text(number).substr(is_negative ? 1 : 0);
  std::string sign = sign_of_number(spec, is_negative);
  const unsigned base = (spec.type | 0x20) == 'x' ? 16
                        : spec.type == 'o'        ? 8
                        : spec.type == 'b'        ? 2
                                                  : 10;
  if (base == 10) {
    std::string digits = decimal;
    if (spec.precision > static_cast<int>(digits.size()))
      digits.insert(0, static_cast<std::size_t>(spec.precision) - digits.size(), '0');
    return padded(spec, sign, grouped(digits, spec.group), '>');
  }
  if (spec.alternate) sign += std::string("0") + spec.type;
  const auto bits = static_cast<Magnitude>(number);
  return padded(spec, sign, digits_of(is_negative ? 0 - bits : bits, base, spec.type == 'X'), '>');
}

std::string formatted_real(const FormatSpec& spec, double number) {
  const bool is_negative = std::signbit(number) && !std::isnan(number);
  const double size = std::fabs(number);
  const int precision = spec.precision < 0 ? 6 : spec.precision;
  std::string body;
  if (spec.type == '%')
    body = fmt::format("{:.{}f}%", size * 100, precision);
  else if (spec.type == 0 && spec.precision < 0)
    body = real_text(size);
  else
    body =
        fmt::format(fmt::runtime(std::string("{:.{}") + (spec.type == 0 ? 'g' : spec.type) + "}"),
                    size, precision);
  return padded(spec, sign_of_number(spec, is_negative), grouped(body, spec.group), '>');
}

}  // namespace

FormatSpec parsed_spec(Rendering& rendering, std::string_view text) {
  FormatSpec spec;
  std::u32string rest = code_points(text);
  std::size_t at = 0;
  const auto is = [&](char32_t c) { return at < rest.size() && rest[at] == c; };
  const auto number = [&] {
    std::size_t value = 0;
    for (; at < rest.size() && rest[at] >= '0' && rest[at] <= '9'; ++at) {
      value = value * 10 + (rest[at] - '0');
      if (value > FormatSpec::kMostWidth)
        rendering.fail_limit("width of a format " + std::to_string(FormatSpec::kMostWidth));
    }
    return value;
  };
  if (rest.size() > 1 && is_align(rest[1])) {
    spec.fill = utf8_of(std::u32string_view(rest).substr(0, 1));
    at = 1;
  }
  if (at < rest.size() && is_align(rest[at])) spec.align = static_cast<char>(rest[at++]);
  if (is('+') || is('-') || is(' ')) spec.sign = static_cast<char>(rest[at++]);
  if (is('#')) spec.alternate = ++at > 0;
  if (is('0')) spec.fill_zero = spec.align == 0 && ++at > 0;
  spec.width = number();
  if (is(',') || is('_')) spec.group = static_cast<char>(rest[at++]);
  if (is('.')) {
    ++at;
    spec.precision = static_cast<int>(number());
  }
  if (at < rest.size() && rest[at] < 0x80) spec.type = static_cast<char>(rest[at++]);
  if (at != rest.size())
    rendering.fail("an invalid format specification '" + std::string(text) + "'");
  return spec;
}

std::size_t take_number(const Rendering& rendering, std::string_view& text) {
  std::size_t number = 0;
  for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1)) {
    number = number * 10 + static_cast<std::size_t>(text[0] - '0');
    if (number > FormatSpec::kMostWidth)
      rendering.fail_limit("width of a format " + std::to_string(FormatSpec::kMostWidth));
  }
  return number;
}

Value whole_part(const Rendering& rendering, double number) {
  if (!std::isfinite(number)) rendering.fail("cannot convert float infinity or NaN to integer");
  if (std::fabs(number) >= 0x1p126) rendering.fail_limit("bits of a number 127");
  return Value(static_cast<Integer>(number));
}

std::string formatted(Rendering& rendering, const FormatSpec& spec, const Value& value) {
  if (value.is_text()) {
    if (spec.type != 0 && spec.type != 's')
      rendering.fail(std::string("the format '") + spec.type + "' for a str; allowed: s");
    std::size_t count = value.text().num_characters;
    if (spec.precision >= 0) count = std::min(count, static_cast<std::size_t>(spec.precision));
    rendering.step_bytes(2 * value.bytes().size());
    return padded(spec, "", std::string(characters_between(rendering, value.text(), 0, count)),
                  '<');
  }
  if (!value.is_number()) rendering.fail("unsupported format string passed to " + type_name(value));
  constexpr std::string_view kOfReals = "eEfFgG%", kOfWhole = "dxXobc";
  if (spec.type == 'c' && value.is_whole()) {
    if (value.integer() < 0 || value.integer() > 0x10FFFF ||
        (value.integer() >= 0xD800 && value.integer() < 0xE000))
      rendering.fail("a number that is no character");
    std::string text;
    append_utf8(text, static_cast<char32_t>(value.integer()));
    return padded(spec, "", text, '<');
  }
  if (spec.type == 0 && value.is(Kind::boolean))
    return padded(spec, "", str(rendering, value), '<');
  if (spec.type != 0 && kOfReals.find(spec.type) != kOfReals.npos)
    return formatted_real(spec, value.number());
  const bool is_whole_form = kOfWhole.find(spec.type) != kOfWhole.npos;
  if (value.is_whole() && (spec.type == 0 || is_whole_form))
    return formatted_whole(spec, value.integer());
  if (spec.type != 0)
    rendering.fail(std::string("the format '") + spec.type + "' for a " + type_name(value));
  return formatted_real(spec, value.number());
}

}  // namespace speclab::templates
