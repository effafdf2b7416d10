// Filters that make numbers.

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "engines/templates/characters.h"
#include "engines/templates/functions.h"
#include "engines/templates/python.h"

namespace speclab::templates {
namespace {

/// The text without single underscores between digits; nothing if one stands elsewhere.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto is_digit_at = [&](std::size_t at) {
      return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at]));
    };
    if (text[i] != '_')
      plain.push_back(text[i]);
    else if (i == 0 || !is_digit_at(i - 1) || !is_digit_at(i + 1))
      return std::nullopt;
  }
  return plain;
}

/// The number that Python's float makes of a text; nothing where it raises.
std::optional<double> real_of_text(std::string_view text) {
  const auto plain = without_underscores(without_spaces(text, Side::both));
  if (!plain || plain->empty()) return std::nullopt;
  std::string_view rest = *plain;
  const bool is_negative = rest[0] == '-';
  if (rest[0] == '-' || rest[0] == '+') rest.remove_prefix(1);
  const std::string small = lowercase(rest);
  if (small == "inf" || small == "infinity") return is_negative ? -HUGE_VAL : HUGE_VAL;
  if (small == "nan") return std::nan("");
  if (rest.empty() || !(rest[0] == '.' || (rest[0] >= '0' && rest[0] <= '9'))) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (end != rest.data() + rest.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) value = std::strtod(small.c_str(), nullptr);
  return is_negative ? -value : value;
}

/// The number that Python's int makes of a text; nothing where it raises.
std::optional<Integer> whole_of_text(const Rendering& rendering, std::string_view text,
                                     Integer base) {
  const auto plain = without_underscores(without_spaces(text, Side::both));
  if (!plain) return std::nullopt;
  std::string_view rest = *plain;
  const bool is_negative = rest.starts_with('-');
  if (is_negative || rest.starts_with('+')) rest.remove_prefix(1);
  for (const auto& [letter, of_letter] : {std::pair('x', 16), std::pair('o', 8), std::pair('b', 2)})
    if ((base == of_letter || base == 0) && rest.size() > 2 && rest[0] == '0' &&
        (rest[1] | 0x20) == letter) {
      rest.remove_prefix(2);
      base = of_letter;
      break;
    }
  if (base == 0) base = 10;
  Integer value = 0;
  for (const char byte : rest) {
    if (digit_value(byte) >= base) return std::nullopt;
    if (!append_digit(value, base, digit_value(byte))) rendering.fail_limit("bits of a number 127");
  }
  if (rest.empty()) return std::nullopt;
  return is_negative ? -value : value;
}

Value to_integer(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'int'", arguments, {"default?", "base?"});
  if (input.is(Kind::undefined)) rendering.fail(input.undefined().message);
  const Value missing = given.has(0) ? given[0] : Value(Integer{0});
  if (input.is_whole()) return Value(input.integer());
  std::optional<double> real;
  if (input.is_text()) {
    rendering.step_characters(input.bytes().size());
    if (const auto whole = whole_of_text(rendering, input.bytes(), given.integer(1, 10)))
      return Value(*whole);
    real = real_of_text(input.bytes());
  } else if (input.is(Kind::real)) {
    real = input.number();
  }
  return real && std::isfinite(*real) ? whole_part(rendering, *real) : missing;
}

Value to_real(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'float'", arguments, {"default?"});
  if (input.is(Kind::undefined)) rendering.fail(input.undefined().message);
  if (input.is_number()) return Value(input.number());
  if (input.is_text()) rendering.step_characters(input.bytes().size());
  const auto real = input.is_text() ? real_of_text(input.bytes()) : std::nullopt;
  return real ? Value(*real) : given.has(0) ? given[0] : Value(0.0);
}

Value absolute(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'abs'", arguments, {});
  if (input.is(Kind::undefined)) rendering.fail(input.undefined().message);
  if (!input.is_number()) rendering.fail("bad operand type for abs(): '" + type_name(input) + "'");
  if (input.is(Kind::real)) return Value(std::fabs(input.number()));
  return input.integer() < 0 ? signed_value(rendering, true, input) : Value(input.integer());
}

/// Python rounds the exact decimal value, halves to even.
double rounded(double number, Integer precision) {
  if (!std::isfinite(number) || precision > 300) return number;
  if (precision < -308) return std::copysign(0.0, number);
  if (precision >= 0)
    return std::strtod(fmt::format("{:.{}f}", number, static_cast<int>(precision)).c_str(),
                       nullptr);
  const double unit = std::pow(10.0, static_cast<double>(-precision));
  return std::nearbyint(number / unit) * unit;
}

Value round(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'round'", arguments, {"precision?", "method?"});
  const std::string method = given.text(1, "common");
  const Integer precision = given.integer(0, 0);
  if (method != "common" && method != "ceil" && method != "floor")
    rendering.fail("filter 'round': method " + repr_of_text(method) +
                   "; allowed: common, ceil, floor");
  if (input.is(Kind::undefined)) rendering.fail(input.undefined().message);
  if (!input.is_number())
    rendering.fail("filter 'round': a " + type_name(input) + "; allowed: a number");
  if (method == "common") {
    if (input.is_whole() && precision >= 0) return Value(input.integer());
    if (input.is_whole()) return whole_part(rendering, rounded(input.number(), precision));
    return Value(rounded(input.number(), precision));
  }
  const double unit = std::pow(10.0, static_cast<double>(precision));
  const double scaled = input.number() * unit;
  return Value((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / unit);
}

Value sum(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'sum'", arguments, {"attribute?", "start?"});
  Value total = given.has(1) ? given[1] : Value(Integer{0});
  if (total.is_text()) rendering.fail("sum() can't sum strings");
  for (Value item : items_of(rendering, input)) {
    rendering.step();
    if (!given[0].is_none()) item = attribute_by_path(rendering, item, given[0]);
    total = calculated(rendering, Sign::add, total, item);
  }
  return total;
}

}  // namespace

const FilterTable& number_filters() {
  static const FilterTable table = {
      {"abs", absolute}, {"float", to_real}, {"int", to_integer}, {"round", round}, {"sum", sum}};
  return table;
}

}  // namespace speclab::templates
