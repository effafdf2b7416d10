#include "experiments/drivers/toml/number_range.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace speclab::experiments {
namespace {

bool is_integer(const ConfigNode& node) { return std::holds_alternative<std::int64_t>(node.value); }

std::optional<double> number(const ConfigNode& node) {
  if (is_integer(node)) return static_cast<double>(std::get<std::int64_t>(node.value));
  const auto* real = std::get_if<double>(&node.value);
  return real && std::isfinite(*real) ? std::optional(*real) : std::nullopt;
}

struct Steps {
  double from = 0, by = 0;
  std::int64_t count = 0;
  bool of_integers = false;
};

/// Nothing where the table has neither form.
std::optional<Steps> read_steps(const ConfigNode& table, double most_values) {
  std::map<std::string, double> values;
  bool of_integers = true;
  for (const ConfigEntry& entry : std::get<ConfigNode::TableEntries>(table.value)) {
    const auto value = number(entry.node);
    if (!value) return std::nullopt;
    values[entry.key] = *value;
    of_integers = of_integers && is_integer(entry.node);
  }
  if (values.size() != 3 || !values.contains("from") || !values.contains("to") ||
      values["from"] >= values["to"])
    return std::nullopt;
  const double from = values["from"], width = values["to"] - from,
               steps = values.contains("steps") ? values["steps"] : 2,
               by = values.contains("by") ? values["by"] : width / (steps - 1);
  const double count = values.contains("by") ? std::floor(width / by * (1 + 1e-12)) + 1 : steps;
  const bool is_form = (values.contains("by") ? by > 0
                                              : values.contains("steps") && steps >= 2 &&
                                                    steps == std::floor(steps)) &&
                       count <= most_values;
  return is_form ? std::optional(Steps{from, by, static_cast<std::int64_t>(count),
                                       of_integers && by == std::floor(by)})
                 : std::nullopt;
}

double rounded(double value) { return std::stod(fmt::format("{:.12g}", value)); }

}  // namespace

std::optional<ConfigNode> expanded_range(const ConfigNode& table, std::size_t most_values) {
  const auto steps = read_steps(table, static_cast<double>(most_values));
  if (!steps) return std::nullopt;
  ConfigNode::List list;
  for (std::int64_t i = 0; i < steps->count; ++i) {
    const double value = rounded(steps->from + static_cast<double>(i) * steps->by);
    if (steps->of_integers)
      list.push_back({table.where, static_cast<std::int64_t>(value)});
    else
      list.push_back({table.where, value});
  }
  return ConfigNode{table.where, std::move(list)};
}

}  // namespace speclab::experiments
