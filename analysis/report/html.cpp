#include "analysis/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/plots/figure_text.h"

namespace speclab::analysis {

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string script_escaped(std::string text, std::string_view what, std::string_view replacement) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + replacement.size())) {
    text.replace(at, what.size(), replacement);
  }
  return text;
}

EstimateText estimate_text(const Estimate& estimate, double factor, int digits) {
  const double half_width = estimate.interval
                                ? (estimate.interval->high - estimate.interval->low) / 2
                                : 0;  // a value near 0 is known to no more digits than its interval
  const int decimals =
      decimals_for(std::max(std::abs(estimate.value), half_width) * factor, digits);
  const auto text = [&](double value) {
    const std::string number = fmt::format("{:.{}f}", value * factor, decimals);
    return number.find_first_of("123456789") == std::string::npos && number[0] == '-'
               ? number.substr(1)
               : number;
  };
  if (!estimate.interval) return {.value = text(estimate.value), .low = {}, .high = {}};
  return {.value = text(estimate.value),
          .low = text(estimate.interval->low),
          .high = text(estimate.interval->high)};
}

std::string interval_text(const Estimate& estimate, double factor, const std::string& unit,
                          int digits) {
  const EstimateText text = estimate_text(estimate, factor, digits);
  if (text.low.empty()) return fmt::format("n = {}, no interval", estimate.n);
  return fmt::format("95 %: {} to {}{}, n = {}", text.low, text.high, unit, estimate.n);
}

std::string with_interval(const Estimate& estimate, double factor, int digits) {
  const EstimateText text = estimate_text(estimate, factor, digits);
  return text.low.empty() ? text.value
                          : fmt::format("{} [{}, {}]", text.value, text.low, text.high);
}

}  // namespace speclab::analysis
