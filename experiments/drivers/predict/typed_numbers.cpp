#include "experiments/drivers/predict/typed_numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

std::optional<double> finite_number(const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

}  // namespace

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

double parse_number(const std::string& option, const std::string& text,
                    const AllowedNumbers& allowed) {
  const auto value = finite_number(text);
  if (!value || *value < allowed.low || *value > allowed.high)
    throw ConfigError(fmt::format("{} {}; allowed: {}", option,
                                  text.empty() ? "''" : escaped(text, 60), allowed.text));
  return *value + 0.0;  // not -0
}

analysis::Estimate parse_estimate(const std::string& option, const std::string& text,
                                  const AllowedNumbers& allowed) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() != 1 && parts.size() != 3)
    throw ConfigError(fmt::format("{} {}; allowed: VALUE or VALUE:LOW:HIGH, {}", option,
                                  escaped(text, 60), allowed.text));
  analysis::Estimate result{.value = parse_number(option, parts[0], allowed)};
  if (parts.size() == 1) return result;
  result.interval = analysis::Interval{parse_number(option, parts[1], allowed),
                                       parse_number(option, parts[2], allowed)};
  if (result.low() > result.value || result.value > result.high())
    throw ConfigError(fmt::format("{} {}; allowed: VALUE:LOW:HIGH with LOW <= VALUE <= HIGH",
                                  option, escaped(text, 60)));
  return result;
}

}  // namespace speclab::experiments
