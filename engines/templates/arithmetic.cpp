#include "engines/templates/arithmetic.h"

#include <cmath>

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

}  // namespace

Value calculated_whole(const Rendering& rendering, Sign sign, Integer a, Integer b) {
  constexpr Integer kLowest = static_cast<Integer>(1) << 126 << 1;
  const auto checked = [&](bool overflows, Integer result) {
    if (overflows) fail_overflow(rendering);
    return Value(result);
  };
  Integer result = 0;
  switch (sign) {
    case Sign::add: {
      const bool overflows = __builtin_add_overflow(a, b, &result);
      return checked(overflows, result);
    }
    case Sign::subtract: {
      const bool overflows = __builtin_sub_overflow(a, b, &result);
      return checked(overflows, result);
    }
    case Sign::multiply: {
      const bool overflows = __builtin_mul_overflow(a, b, &result);
      return checked(overflows, result);
    }
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

}  // namespace speclab::templates
