#include "analysis/plots/figure_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "analysis/stats/bootstrap.h"

namespace speclab::analysis {
namespace {

const char* plural(std::size_t n, const char* one, const char* many) { return n == 1 ? one : many; }

}  // namespace

std::string readable(std::string identifier) {
  std::ranges::replace(identifier, '_', ' ');
  return identifier;
}

int decimals_for(double value, int digits) {
  const int magnitude = value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(value))));
  return std::clamp(digits - 1 - magnitude, 0, 9);
}

std::string short_number(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", value, decimals_for(value, digits));
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string range_text(std::size_t low, std::size_t high) {
  return low == high ? fmt::format("{}", low) : fmt::format("{} to {}", low, high);
}

std::string describe_sample(const std::vector<const Group*>& groups) {
  const auto prompts = [](const Group* group) { return group->summary.n_prompts; };
  const auto each = [](const Group* group) {
    return group->summary.n_rows / group->summary.n_prompts;
  };
  const auto [few, many] = std::ranges::minmax_element(groups, {}, prompts);
  const auto [rare, often] = std::ranges::minmax_element(groups, {}, each);
  return fmt::format("{} {} a point, {} {} each", range_text(prompts(*few), prompts(*many)),
                     plural(prompts(*many), "prompt", "prompts"),
                     range_text(each(*rare), each(*often)),
                     plural(each(*often), "generation", "generations"));
}

std::string describe_intervals(const std::vector<const Group*>& groups) {
  const auto any = [&](std::size_t low, std::size_t high) {
    return std::ranges::any_of(groups, [&](const Group* group) {
      return group->summary.n_prompts >= low && group->summary.n_prompts < high;
    });
  };
  std::vector<std::string> methods;
  if (any(Bootstrap::kMinClusters, SIZE_MAX)) methods.push_back("bootstrap-t over prompts");
  if (any(2, Bootstrap::kMinClusters))
    methods.push_back(
        fmt::format("Student's t over fewer than {} prompts", Bootstrap::kMinClusters));
  if (any(0, 2)) methods.push_back("none for a single prompt");
  return fmt::format("n = {}. Bars: 95 % intervals, {}.", describe_sample(groups),
                     fmt::join(methods, "; "));
}

std::string lossy_suffix(double least, double most) {
  const std::string low = short_number(least, 2), high = short_number(most, 2);
  return " (lossy, law off by " + (low == high ? high : low + " to " + high) + ")";
}

}  // namespace speclab::analysis
