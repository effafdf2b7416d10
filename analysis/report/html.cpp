#include "analysis/report/html.h"

#include <fmt/format.h>

#include "analysis/plots/figure_text.h"

namespace speclab::analysis {

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string script_escaped(std::string text, std::string_view what, std::string_view replacement) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + replacement.size())) {
    text.replace(at, what.size(), replacement);
  }
  return text;
}

std::string with_interval(const Estimate& estimate, double factor, int digits) {
  const std::string value = short_number(estimate.value * factor, digits);
  if (!estimate.interval) return value;
  return fmt::format("{} [{}, {}]", value, short_number(estimate.interval->low * factor, digits), short_number(estimate.interval->high * factor, digits));
}

}  // namespace speclab::analysis
