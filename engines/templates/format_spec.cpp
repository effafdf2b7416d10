#include "engines/templates/python.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engines/templates/characters.h"

namespace speclab::templates {
namespace {

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
  const auto filled = [&spec](std::size_t times) {
    return repeated(spec.fill_zero ? "0" : spec.fill, times);
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
  const auto bits = static_cast<Magnitude>(number), size = is_negative ? 0 - bits : bits;
  std::string sign = sign_of_number(spec, is_negative);
  if (spec.type != 0 && std::string_view("xXob").find(spec.type) != std::string_view::npos) {
    if (spec.alternate) sign += std::string("0") + spec.type;
    const std::string form = std::string("{:") + spec.type + "}";
    return padded(spec, sign, fmt::format(fmt::runtime(form), size), '>');
  }
  std::string digits = fmt::format("{}", size);
  if (spec.precision > static_cast<int>(digits.size()))
    digits.insert(0, static_cast<std::size_t>(spec.precision) - digits.size(), '0');
  return padded(spec, sign, grouped(digits, spec.group), '>');
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
  constexpr std::string_view kAligns = "<>^=";
  FormatSpec spec;
  std::string_view rest = text;
  // Takes one character of a set; 0 if none is here.
  const auto take = [&rest](std::string_view set) {
    if (rest.empty() || set.find(rest[0]) == set.npos) return '\0';
    const char taken = rest[0];
    rest.remove_prefix(1);
    return taken;
  };
  const std::size_t fill_size = rest.empty() ? 0 : character_length(rest[0]);
  if (fill_size < rest.size() && kAligns.find(rest[fill_size]) != kAligns.npos) {
    spec.fill = rest.substr(0, fill_size);
    rest.remove_prefix(fill_size);
  }
  spec.align = take(kAligns);
  if (const char sign = take("+- ")) spec.sign = sign;
  spec.alternate = take("#") != 0;
  spec.fill_zero = spec.align == 0 && take("0") != 0;
  spec.width = take_number(rendering, rest);
  spec.group = take(",_");
  if (take(".")) spec.precision = static_cast<int>(take_number(rendering, rest));
  if (rest.size() == 1 && static_cast<signed char>(rest[0]) >= 0)
    spec.type = rest[0];
  else if (!rest.empty())
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
    return padded(spec, "", utf8_of(static_cast<char32_t>(value.integer())), '<');
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
