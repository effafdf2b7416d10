#include "sim/system/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace speclab {
namespace {

/// The place behind the string that begins at `at`.
std::size_t behind_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
  return std::min(at + 1, text.size());
}

template <typename Integer>
bool holds(std::string_view digits) {
  Integer value = 0;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value);
  return read.ec == std::errc() && read.ptr == end;
}

/// A decimal number as its digits, without zeros at either end, and the power of ten behind them.
struct Decimal {
  std::string digits{};
  std::int64_t exponent = 0;
  bool operator==(const Decimal&) const = default;
};

Decimal decimal_of(std::string_view number) {
  Decimal decimal;
  bool is_fraction = false;
  std::size_t at = 0;
  for (; at < number.size() && number[at] != 'e' && number[at] != 'E'; ++at) {
    if (number[at] == '.') is_fraction = true;
    if (number[at] < '0' || number[at] > '9') continue;
    decimal.digits += number[at];
    decimal.exponent -= is_fraction ? 1 : 0;
  }
  if (at < number.size()) {
    std::string_view power = number.substr(at + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    std::int64_t value = 0;
    std::from_chars(power.data(), power.data() + power.size(), value);
    decimal.exponent += value;
  }
  const std::size_t first = std::min(decimal.digits.find_first_not_of('0'), decimal.digits.size());
  decimal.digits.erase(0, first);
  for (; decimal.digits.ends_with('0'); ++decimal.exponent) decimal.digits.pop_back();
  return decimal.digits.empty() ? Decimal{} : decimal;
}

bool is_rounded(std::string_view number, double value) {
  if (number.find_first_of(".eE") == std::string_view::npos)
    return !holds<std::int64_t>(number) && !holds<std::uint64_t>(number);
  std::array<char, 32> shortest;
  const auto written = std::to_chars(shortest.data(), shortest.data() + shortest.size(), value);
  return decimal_of(number) != decimal_of({shortest.data(), written.ptr});
}

/// End of the characters that numbers have.
std::size_t behind_number(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of("+-.0123456789eE", at), text.size());
}

}  // namespace

int json_depth(std::string_view text) {
  int depth = 0, deepest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if (c == ']' || c == '}') --depth;
    at = c == '"' ? behind_string(text, at) : at + 1;
  }
  return deepest;
}

std::map<double, std::string> rounded_numbers(std::string_view text) {
  std::map<double, std::string> rounded;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      at = behind_string(text, at);
    } else if (text[at] == '-' || (text[at] >= '0' && text[at] <= '9')) {
      const std::string_view number = text.substr(at, behind_number(text, at) - at);
      double value = 0;
      const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
      const bool is_whole = read.ptr == number.data() + number.size();
      // Out of range is a number that becomes 0. The library refuses one that is too large.
      const bool is_out_of_range = read.ec == std::errc::result_out_of_range;
      if (is_whole && (is_out_of_range || is_rounded(number, value))) rounded[value] = number;
      at += number.size();
    } else {
      ++at;
    }
  }
  return rounded;
}

}  // namespace speclab
