#include <algorithm>
#include <cmath>

#include "engines/templates/characters.h"
#include "engines/templates/python.h"
#include "engines/templates/rendering.h"
#include "engines/templates/tree.h"

namespace speclab::templates {
namespace {

[[noreturn]] void fail_overflow(const Rendering& rendering) {
  rendering.fail_limit("bits of a number 127");
}

[[noreturn]] void fail_zero(const Rendering& rendering) { rendering.fail("division by zero"); }

Integer floor_quotient(Integer a, Integer b) {
  const Integer quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// The product of the quotient is not used: it may be no Integer.
Integer floor_remainder(Integer a, Integer b) {
  const Integer remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

Integer whole_power(const Rendering& rendering, Integer base, Integer exponent) {
  Integer result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1 && __builtin_mul_overflow(result, base, &result))
      fail_overflow(rendering);
    if (exponent > 1 && __builtin_mul_overflow(base, base, &base)) fail_overflow(rendering);
  }
  return result;
}

double python_modulo(double a, double b) {
  const double remainder = std::fmod(a, b);
  if (remainder == 0) return std::copysign(0.0, b);
  return (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

/// Python's operators on integers. A quotient and a negative power are real.
/// @throws TemplateError for a division by zero, and beyond 127 bits
Value calculated_whole(const Rendering& rendering, Sign sign, Integer a, Integer b) {
  constexpr Integer kLowest = static_cast<Integer>(1) << 126 << 1;
  Integer result = 0;
  const auto checked = [&](bool overflows) {
    if (overflows) fail_overflow(rendering);
    return Value(result);
  };
  switch (sign) {
    case Sign::add:
      return checked(__builtin_add_overflow(a, b, &result));
    case Sign::subtract:
      return checked(__builtin_sub_overflow(a, b, &result));
    case Sign::multiply:
      return checked(__builtin_mul_overflow(a, b, &result));
    case Sign::divide:
      if (b == 0) fail_zero(rendering);
      return Value(static_cast<double>(a) / static_cast<double>(b));
    case Sign::floor:
    case Sign::modulo:
      if (b == 0) fail_zero(rendering);
      if (b == -1 && a == kLowest) fail_overflow(rendering);
      return Value(sign == Sign::floor ? floor_quotient(a, b) : floor_remainder(a, b));
    case Sign::power:
      if (b < 0) {
        if (a == 0) rendering.fail("0.0 cannot be raised to a negative power");
        return Value(std::pow(static_cast<double>(a), static_cast<double>(b)));
      }
      return Value(whole_power(rendering, a, b));
  }
  return {};
}

/// Python's operators on floats. @throws TemplateError for a division by zero and a complex power
Value calculated_real(const Rendering& rendering, Sign sign, double a, double b) {
  const bool divides = sign == Sign::divide || sign == Sign::floor || sign == Sign::modulo;
  if (divides && b == 0) fail_zero(rendering);
  switch (sign) {
    case Sign::add:
      return Value(a + b);
    case Sign::subtract:
      return Value(a - b);
    case Sign::multiply:
      return Value(a * b);
    case Sign::divide:
      return Value(a / b);
    case Sign::floor:
      return Value(std::floor(a / b));
    case Sign::modulo:
      return Value(python_modulo(a, b));
    case Sign::power:
      if (a == 0 && b < 0) rendering.fail("0.0 cannot be raised to a negative power");
      if (a < 0 && b != std::floor(b)) rendering.fail("a complex number; allowed: real numbers");
      return Value(std::pow(a, b));
  }
  return {};
}

/// In the order of Sign.
constexpr const char* kSpellings[] = {"+", "-", "*", "/", "//", "%", "**"};

bool is_row(const Value& value) {
  return value.is(Kind::sequence) && (value.sequence().kind == SequenceKind::list ||
                                      value.sequence().kind == SequenceKind::tuple);
}

Value multiplied(Rendering& rendering, const Value& value, Integer count) {
  const std::size_t size = value.is_text() ? value.bytes().size() : value.sequence().items.size();
  const std::size_t most = value.is_text() ? rendering.limits().text_bytes
                                           : rendering.limits().made_bytes / sizeof(Value);
  const std::size_t times = count < 0 || size == 0               ? 0
                            : count > static_cast<Integer>(most) ? most + 1
                                                                 : static_cast<std::size_t>(count);
  if (times > most / std::max<std::size_t>(size, 1))
    rendering.fail_limit("size of a repeated text or list " + std::to_string(most));
  if (value.is_text())
    return rendering.make_text(repeated(value.bytes(), times), value.text().is_markup);
  rendering.charge(size * times * sizeof(Value));
  std::vector<Value> items;
  for (std::size_t i = 0; i < times; ++i)
    items.insert(items.end(), value.sequence().items.begin(), value.sequence().items.end());
  return rendering.make_sequence(value.sequence().kind, std::move(items));
}

Value joined(Rendering& rendering, const Value& left, const Value& right) {
  if (left.is_text()) {
    const bool is_markup = left.text().is_markup || right.text().is_markup;
    const auto part = [&](const Value& value) {
      return is_markup && !value.text().is_markup ? escaped_markup(rendering, value.bytes())
                                                  : value.bytes();
    };
    rendering.expect_text_size(left.bytes().size() + right.bytes().size());
    return rendering.make_text(part(left) + part(right), is_markup);
  }
  std::vector<Value> items = left.sequence().items;
  items.insert(items.end(), right.sequence().items.begin(), right.sequence().items.end());
  return rendering.make_sequence(left.sequence().kind, std::move(items));
}

}  // namespace

std::string escaped_markup(const Rendering& rendering, std::string_view text) {
  constexpr std::string_view kSpecial = "&<>'\"";
  constexpr const char* kMarkup[] = {"&amp;", "&lt;", "&gt;", "&#39;", "&#34;"};
  std::string markup;
  for (const char byte : text) {
    rendering.expect_text_size(markup.size());
    const std::size_t i = kSpecial.find(byte);
    i == kSpecial.npos ? markup += byte : markup += kMarkup[i];
  }
  return markup;
}

Value calculated(Rendering& rendering, Sign sign, const Value& left, const Value& right) {
  if (left.is_whole() && right.is_whole())
    return calculated_whole(rendering, sign, left.integer(), right.integer());
  if (left.is_number() && right.is_number())
    return calculated_real(rendering, sign, left.number(), right.number());
  if (sign == Sign::modulo && left.is_text())
    return formatted_by_percent(rendering, left.bytes(), right);
  for (const Value* side : {&left, &right})
    if (side->is(Kind::undefined)) rendering.fail(side->undefined().message);
  const bool are_rows =
      is_row(left) && is_row(right) && left.sequence().kind == right.sequence().kind;
  if (sign == Sign::add && ((left.is_text() && right.is_text()) || are_rows))
    return joined(rendering, left, right);
  if (sign == Sign::multiply) {
    if ((left.is_text() || is_row(left)) && right.is_whole())
      return multiplied(rendering, left, right.integer());
    if ((right.is_text() || is_row(right)) && left.is_whole())
      return multiplied(rendering, right, left.integer());
  }
  if (sign == Sign::add && left.is_text())
    rendering.fail("can only concatenate str (not \"" + type_name(right) + "\") to str");
  rendering.fail(std::string("unsupported operand type(s) for ") +
                 kSpellings[static_cast<std::size_t>(sign)] + ": '" + type_name(left) + "' and '" +
                 type_name(right) + "'");
}

Value signed_value(Rendering& rendering, bool is_negative, const Value& value) {
  if (value.is(Kind::undefined)) rendering.fail(value.undefined().message);
  if (!value.is_number())
    rendering.fail("bad operand type for unary " + std::string(is_negative ? "-" : "+") + ": '" +
                   type_name(value) + "'");
  if (value.is_whole())
    return calculated_whole(rendering, is_negative ? Sign::subtract : Sign::add, 0,
                            value.integer());
  return Value(is_negative ? -value.number() : value.number());
}

bool holds(Rendering& rendering, const std::string& sign, const Value& left, const Value& right) {
  if (sign == "in") return contains(rendering, right, left);
  if (sign == "not in") return !contains(rendering, right, left);
  if (sign == "==") return are_equal(rendering, left, right);
  if (sign == "!=") return !are_equal(rendering, left, right);
  const int order = compared(rendering, left, right, sign.c_str());
  return sign == "<" ? order < 0 : sign == "<=" ? order <= 0 : sign == ">" ? order > 0 : order >= 0;
}

}  // namespace speclab::templates
