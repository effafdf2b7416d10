#include "engines/constraints/digits.h"

#include <string_view>

namespace speclab::engines {
namespace {

using Parts = std::vector<Expression>;

Expression no_text() { return Expression::choice({}); }
Expression joined(Parts parts) { return Expression::sequence(std::move(parts)); }
Expression one_digit(char c) { return Expression::literal(std::string_view(&c, 1)); }

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
Expression with_fraction(const std::string& whole, const FractionBounds& bounds) {
  const Expression fraction = joined({Expression::literal("."), fraction_digits(bounds)});
  return joined(
      {Expression::literal(whole), bounds.take_zero() ? Expression::optional(fraction) : fraction});
}

bool is_less(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

/// Whole numbers between two bounds, neither included, with any fraction.
Expression wholes_inside(const Magnitude& low, const std::optional<Magnitude>& high) {
  const std::string first = next_whole(low.whole);
  if (high && !is_less(first, high->whole)) return no_text();
  const auto last = high ? std::optional(previous_whole(high->whole)) : std::nullopt;
  return joined(
      {wholes_between(first, last),
       Expression::optional(joined({Expression::literal("."), digit('0', '9'), any_digits()}))});
}

}  // namespace

Expression any_digits() { return Expression::repeated(digit('0', '9'), 0); }

Expression digit(char first, char last) {
  if (first > last) return no_text();
  return Expression::characters({{static_cast<char32_t>(first), static_cast<char32_t>(last)}});
}

Expression wholes_between(const std::string& low, const std::optional<std::string>& high) {
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

int compare(const Magnitude& a, const Magnitude& b) {
  if (a.whole != b.whole) return is_less(a.whole, b.whole) ? -1 : 1;
  return a.fraction.compare(b.fraction);
}

std::string next_whole(std::string whole) {
  for (auto place = whole.rbegin(); place != whole.rend(); ++place) {
    if (*place != '9') return ++*place, whole;
    *place = '0';
  }
  return "1" + whole;
}

std::string previous_whole(std::string whole) {
  for (auto place = whole.rbegin(); place != whole.rend(); ++place) {
    if (*place != '0') {
      --*place;
      break;
    }
    *place = '9';
  }
  return whole.size() > 1 && whole[0] == '0' ? whole.substr(1) : whole;
}

}  // namespace speclab::engines
