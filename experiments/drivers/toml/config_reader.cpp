#include "experiments/drivers/toml/config_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "experiments/drivers/toml/number_range.h"
#include "sim/system/edit_distance.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr std::size_t kMostElements = 10'000;

bool is_within(double value, const Range& range) {
  return value >= range.low && value <= range.high && !(range.above_low && value == range.low) &&
         !(value > range.low && value < range.gap);
}

Range of_32_bits(Range range) {
  using Limits = std::numeric_limits<std::int32_t>;
  range.low = std::max<double>(range.low, Limits::min());
  range.high = std::min<double>(range.high, Limits::max());
  return range;
}

}  // namespace

std::string range_text(const char* what, const Range& range) {
  if (range.above_low)
    return std::isfinite(range.high)
               ? fmt::format("{} above {}, at most {}", what, range.low, range.high)
               : fmt::format("{} above {}", what, range.low);
  if (std::isfinite(range.low) && std::isfinite(range.high))
    return fmt::format("{} from {} to {}", what, range.low, range.high);
  if (std::isfinite(range.low)) return fmt::format("{} >= {}", what, range.low);
  return what;
}

ConfigReader::ConfigReader(const ConfigNode& table, std::string path, Findings* findings)
    : table_(table), path_(std::move(path)), findings_(findings) {
  if (!table.is_table())
    report(table.where, path_, fmt::format("{} = {}; allowed: a table", path_, table.text()));
}

void ConfigReader::report(const ConfigPlace& where, const std::string& key,
                          const std::string& message) const {
  if (findings_) return findings_->add(where, key, message);
  Findings only;
  only.add(where, key, message);
  only.throw_if_any();
}

void ConfigReader::refuse_node(const ConfigNode& node, const char* key,
                               const std::string& allowed) const {
  report(node.where, full_name(key),
         fmt::format("{} = {}; allowed: {}", full_name(key), node.text(), allowed));
}

const ConfigNode::TableEntries& ConfigReader::entries() const {
  static const ConfigNode::TableEntries kNone;
  return table_.is_table() ? std::get<ConfigNode::TableEntries>(table_.value) : kNone;
}

const ConfigNode* ConfigReader::peek(const char* key) const {
  for (const ConfigEntry& entry : entries())
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
  if (const bool* flag = std::get_if<bool>(&node->value))
    value = *flag;
  else
    refuse_node(*node, key, "true, false");
}

void ConfigReader::read(const char* key, std::string& value) {
  const ConfigNode* node = find(key);
  if (!node) return;
  if (const auto* text = std::get_if<std::string>(&node->value))
    value = *text;
  else
    refuse_node(*node, key, "a string");
}

void ConfigReader::read(const char* key, std::string& value,
                        const std::vector<std::string>& allowed) {
  std::string text = value;
  read(key, text);
  if (std::ranges::find(allowed, text) != allowed.end())
    value = text;
  else
    refuse(key, fmt::format("{}", fmt::join(allowed, ", ")));
}

std::optional<std::int64_t> ConfigReader::integer(const ConfigNode& node, const char* key,
                                                  Range range) const {
  const auto* value = std::get_if<std::int64_t>(&node.value);
  if (value && is_within(static_cast<double>(*value), range) && *value % range.multiple_of == 0)
    return *value;
  const bool is_odd = value && is_within(static_cast<double>(*value), range);
  refuse_node(
      node, key,
      is_odd ? fmt::format("multiples of {}", range.multiple_of) : range_text("integers", range));
  return std::nullopt;
}

std::optional<double> ConfigReader::real(const ConfigNode& node, const char* key,
                                         Range range) const {
  const auto* integer = std::get_if<std::int64_t>(&node.value);
  const auto* real = std::get_if<double>(&node.value);
  const double value = integer ? static_cast<double>(*integer) : real ? *real : std::nan("");
  if (std::isfinite(value) && is_within(value, range))
    return value == 0 ? 0 : value;  // minus zero is zero
  const bool in_gap = value > range.low && value < range.gap;
  refuse_node(node, key,
              in_gap ? fmt::format("{}, or numbers from {} to {}", range.low, range.gap, range.high)
                     : range_text("numbers", range));
  return std::nullopt;
}

void ConfigReader::read(const char* key, std::int32_t& value, Range range) {
  std::int64_t wide = value;
  read(key, wide, of_32_bits(range));
  value = static_cast<std::int32_t>(wide);
}

void ConfigReader::read(const char* key, std::int64_t& value, Range range) {
  const ConfigNode* node = find(key);
  if (node) value = integer(*node, key, range).value_or(value);
}

void ConfigReader::read(const char* key, std::uint64_t& value, Range range) {
  range.low = std::max(range.low, 0.0);
  if (const ConfigNode* node = find(key))
    if (const auto wide = integer(*node, key, range)) value = static_cast<std::uint64_t>(*wide);
}

void ConfigReader::read(const char* key, double& value, Range range) {
  if (const ConfigNode* node = find(key)) value = real(*node, key, range).value_or(value);
}

std::vector<const ConfigNode*> ConfigReader::elements(const ConfigNode& node,
                                                      const char* key) const {
  std::vector<const ConfigNode*> nodes;
  if (!node.is_list()) return {&node};
  const auto& list = std::get<ConfigNode::List>(node.value);
  if (list.empty()) refuse_node(node, key, "at least one value");
  if (list.size() > kMostElements)
    refuse_node(node, key, fmt::format("at most {} values", kMostElements));
  std::set<std::string> seen;
  for (std::size_t i = 0; i < std::min(list.size(), kMostElements); ++i) {
    const auto* real = std::get_if<double>(&list[i].value);
    const bool is_new =
        seen.insert(real && *real == 0 ? "0" : list[i].whole_text()).second;  // minus zero is zero
    if (is_new)
      nodes.push_back(&list[i]);
    else
      refuse_node(list[i], key, "each value once");
  }
  return nodes;
}

void ConfigReader::read(const char* key, std::vector<std::string>& values) {
  const ConfigNode* node = find(key);
  if (!node) return;
  std::vector<std::string> read;
  for (const ConfigNode* element : elements(*node, key)) {
    if (const auto* text = std::get_if<std::string>(&element->value))
      read.push_back(*text);
    else
      refuse_node(*element, key, "strings");
  }
  if (!read.empty()) values = read;
}

ConfigNode ConfigReader::expanded(const char* key) const {
  const ConfigNode& node = *peek(key);
  if (!node.is_table()) return node;
  if (const auto list = expanded_range(node, kMostElements)) return *list;
  refuse_node(node, key, fmt::format("{}, at most {} values", kRangeForms, kMostElements));
  return {node.where, ConfigNode::List{}};
}

void ConfigReader::read(const char* key, std::vector<double>& values, Range range) {
  if (!find(key)) return;
  std::vector<double> read;
  const ConfigNode list = expanded(key);
  for (const ConfigNode* element : elements(list, key))
    if (const auto value = real(*element, key, range)) read.push_back(*value);
  if (!read.empty()) values = read;
}

void ConfigReader::read(const char* key, std::vector<std::int32_t>& values, Range range) {
  if (!find(key)) return;
  std::vector<std::int32_t> read;
  const ConfigNode list = expanded(key);
  for (const ConfigNode* element : elements(list, key))
    if (const auto value = integer(*element, key, of_32_bits(range)))
      read.push_back(static_cast<std::int32_t>(*value));
  if (!read.empty()) values = read;
}

const ConfigNode* ConfigReader::table(const char* key) {
  const ConfigNode* node = find(key);
  if (!node || node->is_table()) return node;
  refuse_node(*node, key, "a table");
  return nullptr;
}

const ConfigNode* ConfigReader::list(const char* key) {
  const ConfigNode* node = find(key);
  if (node && node->is_list()) return node;
  refuse(key, "a list");
  return nullptr;
}

void ConfigReader::refuse(const char* key, const std::string& allowed) const {
  if (const ConfigNode* node = peek(key)) return refuse_node(*node, key, allowed);
  if (findings_ && findings_->has_unread_text()) return;
  report(table_.where, full_name(key),
         fmt::format("{} is missing; allowed: {}", full_name(key), allowed));
}

const ConfigNode& ConfigReader::element(const char* key, std::size_t index) const {
  const ConfigNode* node = peek(key);
  if (!node) return table_;
  return node->is_list() ? std::get<ConfigNode::List>(node->value).at(index) : *node;
}

void ConfigReader::add(const char* key, std::size_t index, const std::string& message) const {
  report(element(key, index).where, full_name(key), message);
}

void ConfigReader::refuse_element(const char* key, std::size_t index,
                                  const std::string& allowed) const {
  if (!has(key)) return refuse(key, allowed);
  refuse_node(element(key, index), key, allowed);
}

std::string ConfigReader::suggestion(const std::string& unknown) const {
  const std::string found = unknown.substr(0, 100);
  const auto distance = [&](const std::string& key) { return edit_distance(found, key); };
  const auto nearest = std::ranges::min_element(known_, {}, distance);
  const bool near = nearest != known_.end() &&
                    distance(*nearest) <=
                        std::max<std::size_t>(2, 3 * std::min<std::size_t>(found.size(), 16) / 8);
  return near ? fmt::format("; did you mean {}?", *nearest) : "";
}

/// No more than are shown take the time of a suggestion.
void ConfigReader::finish() const {
  std::vector<const ConfigEntry*> unknown;
  for (const ConfigEntry& entry : entries())
    if (std::ranges::find(known_, entry.key) == known_.end()) unknown.push_back(&entry);
  std::ranges::sort(unknown,
                    [](const ConfigEntry* a, const ConfigEntry* b) { return a->where < b->where; });
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    const auto& [key, where, node] = *unknown[i];
    report(where, full_name(key),
           fmt::format("unknown key {} = {}; allowed: {}{}", escaped(full_name(key)), node.text(),
                       fmt::join(known_, ", "), i < Findings::kMostShown ? suggestion(key) : ""));
  }
}

}  // namespace speclab::experiments
