// Numbers between two bounds, as expressions about their digits.

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "engines/constraints/expression.h"
#include "engines/constraints/json_schema.h"

namespace speclab::engines {
namespace {

/// A bound on a number without its sign.
struct Magnitude {
  std::uint64_t whole = 0;
  std::string fraction{};  ///< digits behind the point, without a zero at their end
  bool is_inclusive = true;
};

/// Negative, 0 or positive, like a - b.
int compare(const Magnitude& a, const Magnitude& b) {
  if (a.whole != b.whole) return a.whole < b.whole ? -1 : 1;
  return a.fraction.compare(b.fraction);
}

using Parts = std::vector<Expression>;

Expression no_text() { return Expression::choice({}); }
Expression joined(Parts parts) { return Expression::sequence(std::move(parts)); }
Expression one_digit(char c) { return Expression::literal(std::string_view(&c, 1)); }

/// A digit from `first` to `last`; no text if there is none.
Expression digit(char first, char last) {
  if (first > last) return no_text();
  return Expression::characters({{static_cast<char32_t>(first), static_cast<char32_t>(last)}});
}
/// Also none.
Expression any_digits() { return Expression::repeated(digit('0', '9'), 0); }

Expression digits_of_number(std::size_t count) {
  const auto size = static_cast<std::int32_t>(count);
  return Expression::repeated(digit('0', '9'), size, size);
}

/// The bounds are equally long, and so are the numbers.
Expression same_length(std::string_view low, std::string_view high) {
  if (low.empty()) return joined({});
  const std::string nines(low.size() - 1, '9'), zeros(low.size() - 1, '0');
  const char a = low[0], b = high[0];
  const std::string_view low_rest = low.substr(1), high_rest = high.substr(1);
  if (a == b) return joined({one_digit(a), same_length(low_rest, high_rest)});
  Parts choices{joined({one_digit(a), same_length(low_rest, nines)}),
                joined({one_digit(b), same_length(zeros, high_rest)})};
  choices.push_back(joined({digit(static_cast<char>(a + 1), static_cast<char>(b - 1)),
                            digits_of_number(low_rest.size())}));
  return Expression::choice(std::move(choices));
}

/// Whole numbers from a bound on, up to another one if it is given, without a zero at their
/// beginning.
Expression wholes_between(std::uint64_t from, const std::optional<std::uint64_t>& to) {
  const std::string low = std::to_string(from);
  const auto high = to ? std::optional(std::to_string(*to)) : std::nullopt;
  Parts choices;
  const std::size_t longest = high ? high->size() : low.size();
  for (std::size_t size = low.size(); size <= longest; ++size)
    choices.push_back(same_length(size == low.size() ? low : "1" + std::string(size - 1, '0'),
                                  high && size == high->size() ? *high : std::string(size, '9')));
  if (!high)
    choices.push_back(
        joined({digit('1', '9'),
                Expression::repeated(digit('0', '9'), static_cast<std::int32_t>(low.size()))}));
  return Expression::choice(std::move(choices));
}

/// Digits behind a point, between two bounds: the fractions, whose missing digits are zeros.
struct FractionBounds {
  std::string_view low;
  bool low_inclusive;
  std::optional<std::string_view> high{};  ///< nothing: below 1
  bool high_inclusive = true;

  /// Whether no digit at all, which is 0, lies between them.
  bool take_zero() const {
    return low.empty() && low_inclusive && (!high || !high->empty() || high_inclusive);
  }
};

Expression fraction_digits(const FractionBounds& bounds);

/// The digits behind a first one; also none where that is between the bounds.
Expression behind(char first, const FractionBounds& rest) {
  const Expression more = fraction_digits(rest);
  return joined({one_digit(first), rest.take_zero() ? Expression::optional(more) : more});
}

std::string_view rest_of(std::string_view digits) {
  return digits.empty() ? digits : digits.substr(1);
}

/// At least one digit.
Expression fraction_digits(const FractionBounds& bounds) {
  const char a = bounds.low.empty() ? '0' : bounds.low[0];
  if (!bounds.high) {
    if (bounds.low.empty() && bounds.low_inclusive) return joined({digit('0', '9'), any_digits()});
    if (bounds.low.empty()) return joined({any_digits(), digit('1', '9'), any_digits()});
    return Expression::choice({joined({digit(static_cast<char>(a + 1), '9'), any_digits()}),
                               behind(a, {rest_of(bounds.low), bounds.low_inclusive})});
  }
  if (bounds.high->empty()) {
    const bool is_zero = bounds.low.empty() && bounds.low_inclusive && bounds.high_inclusive;
    return is_zero ? Expression::repeated(one_digit('0'), 1) : no_text();
  }
  const char b = (*bounds.high)[0];
  const std::string_view high_rest = rest_of(*bounds.high);
  if (a > b) return no_text();
  if (a == b)
    return behind(a, {rest_of(bounds.low), bounds.low_inclusive, high_rest, bounds.high_inclusive});
  return Expression::choice(
      {behind(a, {rest_of(bounds.low), bounds.low_inclusive}),
       joined({digit(static_cast<char>(a + 1), static_cast<char>(b - 1)), any_digits()}),
       behind(b, {"", true, high_rest, bounds.high_inclusive})});
}

/// A whole number and a fraction between bounds.
Expression with_fraction(std::uint64_t whole, const FractionBounds& bounds) {
  const Expression fraction = joined({Expression::literal("."), fraction_digits(bounds)});
  return joined({Expression::literal(std::to_string(whole)),
                 bounds.take_zero() ? Expression::optional(fraction) : fraction});
}

/// Whole numbers between two bounds, neither included, with any fraction.
Expression wholes_inside(const Magnitude& low, const std::optional<Magnitude>& high) {
  const std::uint64_t first = low.whole + 1;
  if (high && first >= high->whole) return no_text();
  const auto last = high ? std::optional(high->whole - 1) : std::nullopt;
  return joined(
      {wholes_between(first, last),
       Expression::optional(joined({Expression::literal("."), digit('0', '9'), any_digits()}))});
}

/// Decimal numbers from a bound on, up to another one if it is given: digits, and a point with
/// digits if there is a fraction.
Expression decimals_between(const Magnitude& low, const std::optional<Magnitude>& high) {
  if (high && low.whole == high->whole)
    return with_fraction(low.whole,
                         {low.fraction, low.is_inclusive, high->fraction, high->is_inclusive});
  Parts choices{with_fraction(low.whole, {low.fraction, low.is_inclusive}),
                wholes_inside(low, high)};
  if (high)
    choices.push_back(with_fraction(high->whole, {"", true, high->fraction, high->is_inclusive}));
  return Expression::choice(std::move(choices));
}

/// A bound with its sign.
struct Bound {
  bool is_negative = false;
  Magnitude size{};

  bool is_zero() const { return size.whole == 0 && size.fraction.empty(); }
};

struct Bounds {
  std::optional<Bound> low{}, high{};
};

constexpr double kLargestBound = 1e15, kLeastStep = 1e-15;

Bound bound_at(const SchemaPlace& place, bool is_inclusive) {
  const double value = place.value().get<double>();
  if (!(std::abs(value) <= kLargestBound) || (value != 0 && std::abs(value) < kLeastStep))
    place.fail(place.shown(), "numbers up to 1e15 in size, and 0 or at least 1e-15");
  std::array<char, 64> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), std::abs(value),
                                 std::chars_format::fixed)
                       .ptr;
  const std::string digits(text.data(), end);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  Bound bound{value < 0,
              {std::stoull(digits.substr(0, point)), digits.substr(point), is_inclusive}};
  if (!bound.size.fraction.empty()) bound.size.fraction.erase(0, 1);
  return bound;
}

/// Negative, 0 or positive, like a - b.
int compare(const Bound& a, const Bound& b) {
  if (a.is_negative != b.is_negative) return a.is_negative ? -1 : 1;
  return a.is_negative ? compare(b.size, a.size) : compare(a.size, b.size);
}

/// The stricter of an inclusive and an exclusive bound. @param sign  1 of low bounds, -1 of high
/// ones
std::optional<Bound> stricter(const SchemaPlace& schema, const char* inclusive,
                              const char* exclusive, int sign) {
  const auto with = schema.number(inclusive), without = schema.number(exclusive);
  if (!with && !without) return std::nullopt;
  if (!without) return bound_at(*with, true);
  const Bound strict = bound_at(*without, false);
  if (!with) return strict;
  const Bound other = bound_at(*with, true);
  return sign * compare(other, strict) > 0 ? other : strict;
}

Bounds bounds_of(const SchemaPlace& schema) {
  return {stricter(schema, "minimum", "exclusiveMinimum", 1),
          stricter(schema, "maximum", "exclusiveMaximum", -1)};
}

/// The inclusive whole bound within a bound of any kind.
Bound whole_bound(Bound bound, bool is_low) {
  const bool is_between = !bound.size.fraction.empty();
  const bool grows = bound.is_negative != is_low;  // in size, towards the inside
  bound.size.fraction.clear();
  const bool is_outside = is_between ? grows : !bound.size.is_inclusive;
  bound.size.is_inclusive = true;
  if (!is_outside) return bound;
  if (bound.size.whole == 0 && !grows) return {!bound.is_negative, {1}};
  grows ? ++bound.size.whole : --bound.size.whole;
  return bound;
}

/// Numbers from a negative or positive part of the line. @param texts_between  of sizes
Expression signed_numbers(const Bounds& bounds, auto texts_between) {
  const auto& [low, high] = bounds;
  std::vector<Expression> parts;
  if (!high || !high->is_negative || high->is_zero()) {
    const Magnitude from = low && !low->is_negative ? low->size : Magnitude{};
    const auto to = high ? std::optional(high->size) : std::nullopt;
    parts.push_back(texts_between(from, to));
  }
  if (!low || (low->is_negative && !low->is_zero())) {
    const Magnitude from =
        high && high->is_negative ? high->size : Magnitude{.is_inclusive = false};
    const auto to = low ? std::optional(low->size) : std::nullopt;
    parts.push_back(Expression::sequence({Expression::literal("-"), texts_between(from, to)}));
  }
  return Expression::choice(std::move(parts));
}

void require_some(const SchemaPlace& schema, const Bounds& bounds) {
  if (!bounds.low || !bounds.high) return;
  const int order = compare(*bounds.low, *bounds.high);
  const bool both = bounds.low->size.is_inclusive && bounds.high->size.is_inclusive;
  if (order > 0 || (order == 0 && !both))
    schema.fail("bounds that no number lies between", "a minimum that is at most the maximum");
}

Expression unbounded_number() {
  const auto text = [](const char* literal) { return Expression::literal(literal); };
  const Expression digits = Expression::repeated(digit('0', '9'), 1);
  const Expression whole =
      Expression::choice({text("0"), Expression::sequence({digit('1', '9'), any_digits()})});
  const Expression fraction = Expression::sequence({text("."), digits});
  const Expression exponent = Expression::sequence(
      {Expression::characters({{U'E', U'E'}, {U'e', U'e'}}),
       Expression::optional(Expression::characters({{U'+', U'+'}, {U'-', U'-'}})), digits});
  return Expression::sequence({Expression::optional(text("-")), whole,
                               Expression::optional(fraction), Expression::optional(exponent)});
}

}  // namespace

Expression integers_of_schema(const SchemaPlace& schema) {
  Bounds bounds = bounds_of(schema);
  require_some(schema, bounds);
  if (bounds.low) bounds.low = whole_bound(*bounds.low, true);
  if (bounds.high) bounds.high = whole_bound(*bounds.high, false);
  require_some(schema, bounds);
  return signed_numbers(bounds, [](const Magnitude& low, const std::optional<Magnitude>& high) {
    return wholes_between(low.whole + (low.is_inclusive ? 0 : 1),
                          high ? std::optional(high->whole) : std::nullopt);
  });
}

Expression numbers_of_schema(const SchemaPlace& schema) {
  const Bounds bounds = bounds_of(schema);
  require_some(schema, bounds);
  if (!bounds.low && !bounds.high) return unbounded_number();
  return signed_numbers(bounds, decimals_between);
}

}  // namespace speclab::engines
