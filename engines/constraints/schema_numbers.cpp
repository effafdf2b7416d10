#include "engines/constraints/schema_numbers.h"

#include <array>
#include <charconv>
#include <cmath>

#include "engines/constraints/digits.h"

namespace speclab::engines {
namespace {

/// A bound with its sign.
struct Bound {
  bool is_negative = false;
  Magnitude size{};

  bool is_zero() const { return size.whole == "0" && size.fraction.empty(); }
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
  Bound bound{value < 0, {digits.substr(0, point), digits.substr(point), is_inclusive}};
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
  if (bound.size.whole == "0" && !grows) return {!bound.is_negative, {"1"}};
  bound.size.whole = grows ? next_whole(bound.size.whole) : previous_whole(bound.size.whole);
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
    const std::string from = low.is_inclusive ? low.whole : next_whole(low.whole);
    return wholes_between(from, high ? std::optional(high->whole) : std::nullopt);
  });
}

Expression numbers_of_schema(const SchemaPlace& schema) {
  const Bounds bounds = bounds_of(schema);
  require_some(schema, bounds);
  if (!bounds.low && !bounds.high) return unbounded_number();
  return signed_numbers(bounds, decimals_between);
}

}  // namespace speclab::engines
