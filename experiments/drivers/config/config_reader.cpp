#include "experiments/drivers/config/config_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/core/edit_distance.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

std::string range_text(const char* what, Range range) {
  if (std::isfinite(range.low) && std::isfinite(range.high)) return fmt::format("{} from {} to {}", what, range.low, range.high);
  if (std::isfinite(range.low)) return fmt::format("{} >= {}", what, range.low);
  return what;
}

[[noreturn]] void refuse_node(const ConfigNode& node, const std::string& name, const std::string& allowed) {
  throw ConfigError(fmt::format("{}: {} = {}; allowed: {}", node.where, name, node.text(), allowed));
}

}  // namespace

ConfigReader::ConfigReader(const ConfigNode& table, std::string path) : table_(table), path_(std::move(path)) {
  if (!table.is_table()) refuse_node(table, path_, "a table");
}

const ConfigNode* ConfigReader::peek(const char* key) const {
  for (const ConfigEntry& entry : std::get<ConfigNode::TableEntries>(table_.value))
    if (entry.key == key) return &entry.node;
  return nullptr;
}

const ConfigNode* ConfigReader::find(const char* key) {
  known_.emplace_back(key);
  return peek(key);
}

void ConfigReader::read(const char* key, bool& value) {
  const ConfigNode* node = find(key);
  if (!node) return;
  if (!std::holds_alternative<bool>(node->value)) refuse_node(*node, full_name(key), "true, false");
  value = std::get<bool>(node->value);
}

void ConfigReader::read(const char* key, std::string& value) {
  const ConfigNode* node = find(key);
  if (!node) return;
  if (!std::holds_alternative<std::string>(node->value)) refuse_node(*node, full_name(key), "a string");
  value = std::get<std::string>(node->value);
}

void ConfigReader::read(const char* key, std::string& value, const std::vector<std::string>& allowed) {
  read(key, value);
  if (std::ranges::find(allowed, value) == allowed.end()) refuse(key, fmt::format("{}", fmt::join(allowed, ", ")));
}

std::int64_t ConfigReader::integer(const ConfigNode& node, const char* key, Range range, std::int64_t low, std::int64_t high) const {
  const auto* value = std::get_if<std::int64_t>(&node.value);
  const bool allowed = value && *value >= low && *value <= high && static_cast<double>(*value) >= range.low && static_cast<double>(*value) <= range.high;
  if (!allowed) refuse_node(node, full_name(key), range_text("integers", range));
  return *value;
}

double ConfigReader::real(const ConfigNode& node, const char* key, Range range) const {
  const auto* integer = std::get_if<std::int64_t>(&node.value);
  const auto* real = std::get_if<double>(&node.value);
  const double value = integer ? static_cast<double>(*integer) : real ? *real : std::nan("");
  if (!std::isfinite(value) || value < range.low || value > range.high) refuse_node(node, full_name(key), range_text("numbers", range));
  return value == 0 ? 0 : value;  // minus zero is zero
}

void ConfigReader::read(const char* key, std::int32_t& value, Range range) {
  using Limits = std::numeric_limits<std::int32_t>;
  if (const ConfigNode* node = find(key)) value = static_cast<std::int32_t>(integer(*node, key, range, Limits::min(), Limits::max()));
}

void ConfigReader::read(const char* key, std::int64_t& value, Range range) {
  using Limits = std::numeric_limits<std::int64_t>;
  if (const ConfigNode* node = find(key)) value = integer(*node, key, range, Limits::min(), Limits::max());
}

void ConfigReader::read(const char* key, std::uint64_t& value, Range range) {
  range.low = std::max(range.low, 0.0);
  if (const ConfigNode* node = find(key)) value = static_cast<std::uint64_t>(integer(*node, key, range, 0, std::numeric_limits<std::int64_t>::max()));
}

void ConfigReader::read(const char* key, double& value, Range range) {
  if (const ConfigNode* node = find(key)) value = real(*node, key, range);
}

std::vector<const ConfigNode*> ConfigReader::elements(const ConfigNode& node, const char* key) const {
  constexpr std::size_t kMostElements = 10'000;
  std::vector<const ConfigNode*> nodes;
  if (!node.is_list()) return {&node};
  const auto& list = std::get<ConfigNode::List>(node.value);
  if (list.size() > kMostElements) refuse_node(node, full_name(key), fmt::format("at most {} values", kMostElements));
  std::set<std::string> seen;
  for (const ConfigNode& element : list) {
    const auto* real = std::get_if<double>(&element.value);
    const bool is_new = seen.insert(real && *real == 0 ? "0" : element.whole_text()).second;  // minus zero is zero
    if (!is_new) refuse_node(element, full_name(key), "each value once");
    nodes.push_back(&element);
  }
  if (nodes.empty()) refuse_node(node, full_name(key), "at least one value");
  return nodes;
}

void ConfigReader::read(const char* key, std::vector<std::string>& values) {
  const ConfigNode* node = find(key);
  if (!node) return;
  values.clear();
  for (const ConfigNode* element : elements(*node, key)) {
    const auto* text = std::get_if<std::string>(&element->value);
    if (!text) refuse_node(*element, full_name(key), "strings");
    values.push_back(*text);
  }
}

void ConfigReader::read(const char* key, std::vector<double>& values, Range range) {
  const ConfigNode* node = find(key);
  if (!node) return;
  values.clear();
  for (const ConfigNode* element : elements(*node, key)) values.push_back(real(*element, key, range));
}

void ConfigReader::read(const char* key, std::vector<std::int32_t>& values, Range range) {
  const ConfigNode* node = find(key);
  if (!node) return;
  values.clear();
  for (const ConfigNode* element : elements(*node, key)) values.push_back(static_cast<std::int32_t>(integer(*element, key, range, 0, std::numeric_limits<std::int32_t>::max())));
}

const ConfigNode* ConfigReader::table(const char* key) {
  const ConfigNode* node = find(key);
  if (node && !node->is_table()) refuse_node(*node, full_name(key), "a table");
  return node;
}

const ConfigNode* ConfigReader::list(const char* key) {
  const ConfigNode* node = find(key);
  if (!node || !node->is_list()) refuse(key, "a list");
  return node;
}

void ConfigReader::refuse(const char* key, const std::string& allowed) const {
  if (const ConfigNode* node = peek(key)) refuse_node(*node, full_name(key), allowed);
  throw ConfigError(fmt::format("{}: {} is missing; allowed: {}", table_.where, full_name(key), allowed));
}

const ConfigNode& ConfigReader::element(const char* key, std::size_t index) const {
  const ConfigNode* node = peek(key);
  if (!node) return table_;
  return node->is_list() ? std::get<ConfigNode::List>(node->value).at(index) : *node;
}

const std::string& ConfigReader::where(const char* key, std::size_t index) const { return element(key, index).where; }

void ConfigReader::refuse_element(const char* key, std::size_t index, const std::string& allowed) const {
  refuse_node(element(key, index), full_name(key), allowed);
}

void ConfigReader::finish() const {
  for (const ConfigEntry& entry : std::get<ConfigNode::TableEntries>(table_.value)) {
    if (std::ranges::find(known_, entry.key) != known_.end()) continue;
    const auto distance = [&](const std::string& key) { return edit_distance(entry.key, key); };
    const auto nearest = std::ranges::min_element(known_, {}, distance);
    const bool near = nearest != known_.end() && distance(*nearest) <= 2;
    throw ConfigError(fmt::format("{}: unknown key {} = {}; allowed: {}{}", entry.where, escaped(full_name(entry.key)), entry.node.text(),
                                  fmt::join(known_, ", "), near ? fmt::format("; did you mean {}?", *nearest) : ""));
  }
}

}  // namespace speclab::experiments
