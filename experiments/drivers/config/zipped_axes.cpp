#include "experiments/drivers/config/zipped_axes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "engines/interface/names.h"
#include "experiments/drivers/config/kinds.h"
#include "experiments/drivers/config/sweep.h"

namespace speclab::experiments {
namespace {

constexpr std::size_t kMostValues = 10'000;

const char* table_of(const std::string& axis) { return axis == "model" ? "target" : "axes"; }

std::string text_of(const ConfigNode& node) {
  if (const auto* integer = std::get_if<std::int64_t>(&node.value))
    return axis_text(static_cast<double>(*integer));
  if (const auto* real = std::get_if<double>(&node.value)) return axis_text(*real == 0 ? 0 : *real);
  const auto* text = std::get_if<std::string>(&node.value);
  return text ? *text : node.whole_text();
}

/// The tables under a key of the root; what is no list of tables is refused.
std::vector<const ConfigNode*> tables_under(const ConfigNode& root, const char* key,
                                            Findings& findings) {
  ConfigReader reader(root, "", &findings);
  const ConfigNode* node = reader.has(key) ? reader.list(key) : nullptr;
  std::vector<const ConfigNode*> tables;
  if (!node) return tables;
  for (const ConfigNode& element : std::get<ConfigNode::List>(node->value)) {
    if (!element.is_table())
      reader.refuse_node(element, key, fmt::format("tables [[{}]]", key));
    else
      tables.push_back(&element);
  }
  return tables;
}

ConfigNode& member(ConfigNode& table, const std::string& key, const ConfigPlace& where,
                   ConfigNode value) {
  auto& entries = std::get<ConfigNode::TableEntries>(table.value);
  const auto found = std::ranges::find(entries, key, &ConfigEntry::key);
  if (found != entries.end()) return found->node;
  entries.push_back({key, where, std::move(value)});
  return entries.back().node;
}

/// Every value once, each where it stands first.
ConfigNode distinct(const ConfigNode& list) {
  ConfigNode::List values;
  std::set<std::string> seen;
  for (const ConfigNode& value : std::get<ConfigNode::List>(list.value))
    if (seen.insert(text_of(value)).second) values.push_back(value);
  return {list.where, std::move(values)};
}

void put_axis(ConfigNode& root, const ConfigEntry& axis, const ConfigReader& zip,
              const ConfigNode& list) {
  const char* name = table_of(axis.key);
  ConfigNode& table = member(root, name, axis.where, {axis.where, ConfigNode::TableEntries{}});
  if (!table.is_table()) return;
  const auto& entries = std::get<ConfigNode::TableEntries>(table.value);
  if (std::ranges::find(entries, axis.key, &ConfigEntry::key) != entries.end())
    return zip.refuse(axis.key.c_str(),
                      fmt::format("each axis once: {}.{} is given as well", name, axis.key));
  member(table, axis.key, axis.where, distinct(list));
}

void check_rows(const ConfigReader& reader, const AxisSelection& zip) {
  std::set<std::vector<std::string>> rows;
  for (std::size_t row = 0; row < zip.begin()->second.size(); ++row) {
    std::vector<std::string> values;
    for (const auto& [axis, list] : zip) values.push_back(list[row]);
    if (!rows.insert(values).second)
      reader.refuse_element(
          zip.begin()->first.c_str(), row,
          fmt::format("each row once: {} stands there twice", fmt::join(values, ", ")));
  }
}

struct ReadZip {
  ConfigReader reader;
  AxisSelection rows{};
};

/// The values of one axis of a zip; nothing where they are no list as long as the others.
std::optional<ConfigNode> zip_values(ReadZip& zip, const ConfigEntry& axis) {
  const char* key = axis.key.c_str();
  ConfigNode list = axis.key == "temperature" ? zip.reader.expanded(key) : axis.node;
  const std::size_t length = list.is_list() ? std::get<ConfigNode::List>(list.value).size() : 0;
  if (length == 0 || length > kMostValues)
    zip.reader.refuse(key, fmt::format("lists of 1 to {} values", kMostValues));
  else if (!zip.rows.empty() && length != zip.rows.begin()->second.size())
    zip.reader.refuse(key, fmt::format("as many values as {}: {}", zip.rows.begin()->first,
                                       zip.rows.begin()->second.size()));
  else
    return list;
  return std::nullopt;
}

void read_zip(const ConfigNode& table, ConfigNode& root, RunConfig& config, Findings& findings) {
  const std::size_t num_before = findings.size();
  ReadZip zip{ConfigReader(table, "zip", &findings)};
  for (const std::string& axis : axis_names()) zip.reader.find(axis.c_str());
  zip.reader.finish();
  for (const ConfigEntry& entry : std::get<ConfigNode::TableEntries>(table.value)) {
    if (!engines::is_among(entry.key, axis_names())) continue;
    const auto list = zip_values(zip, entry);
    if (!list) continue;
    for (const ConfigNode& value : std::get<ConfigNode::List>(list->value))
      zip.rows[entry.key].push_back(text_of(value));
    put_axis(root, entry, zip.reader, *list);
  }
  if (findings.size() > num_before) return;
  if (zip.rows.size() < 2)
    return findings.add(
        table.where, "zip",
        "zip with fewer than two axes; allowed: two or more, which advance together");
  check_rows(zip.reader, zip.rows);
  config.zips.push_back(std::move(zip.rows));
}

std::vector<std::string> axis_values(const RunConfig& config, const std::string& axis) {
  std::vector<std::string> texts;
  for_each_axis([&](const char* name, auto values, auto) {
    if (axis != name) return;
    for (const auto& value : config.axes.*values) texts.push_back(axis_text(value));
  });
  return texts;
}

void read_exclusion(const ConfigNode& table, RunConfig& config, Findings& findings) {
  ConfigReader reader(table, "exclude", &findings);
  AxisSelection selection;
  for (const std::string& name : axis_names()) {
    const char* axis = name.c_str();
    const ConfigNode* node = reader.find(axis);
    if (!node) continue;
    const std::vector<std::string> known = axis_values(config, axis);
    const std::size_t count = node->is_list() ? std::get<ConfigNode::List>(node->value).size() : 1;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string text =
          text_of(node->is_list() ? std::get<ConfigNode::List>(node->value)[i] : *node);
      const std::string& value = axis == std::string_view("model") ? config.name_of(text) : text;
      selection[axis].push_back(value);
      if (value == "none" || !engines::is_among(value, known))
        reader.refuse_element(
            axis, i,
            fmt::format(
                "values of the axis except plain decoding, the base of every comparison: {}",
                fmt::join(known, ", ")));
    }
    if (count == 0) reader.refuse(axis, "at least one value");
  }
  reader.finish();
  if (std::get<ConfigNode::TableEntries>(table.value).empty())
    findings.add(table.where, "exclude",
                 fmt::format("exclude without an axis; allowed: values of {}",
                             fmt::join(axis_names(), ", ")));
  config.exclusions.push_back(std::move(selection));
}

}  // namespace

void read_zips(ConfigNode& root, RunConfig& config, Findings& findings) {
  std::vector<ConfigNode> tables;  // copies, because the root changes
  for (const ConfigNode* table : tables_under(root, "zip", findings)) tables.push_back(*table);
  for (const ConfigNode& table : tables) read_zip(table, root, config, findings);
}

void read_exclusions(const ConfigNode& root, RunConfig& config, Findings& findings) {
  for (const ConfigNode* table : tables_under(root, "exclude", findings))
    read_exclusion(*table, config, findings);
}

void check_sweep(const ConfigNode& root, const RunConfig& config, Findings& findings) {
  const Sweep sweep(config);
  if (sweep.product_size() > kMostCells)
    return findings.add(
        root.where, "axes",
        fmt::format(
            "axes that combine to {:.0f} cells; allowed: at most {:.0f}; split the experiment",
            sweep.product_size(), kMostCells));
  std::size_t num_cells = 0, num_drafting = 0;
  std::vector<std::size_t> left_out(config.exclusions.size(), 0);
  for (const Setting& point : sweep.product()) {
    num_cells += sweep.holds(point) ? 1 : 0;
    num_drafting += sweep.holds(point) && !point.is_plain() ? 1 : 0;
    for (std::size_t i = 0; i < left_out.size(); ++i)
      left_out[i] += sweep.is_zipped(point) && sweep.is_excluded_by(i, point) ? 1 : 0;
  }
  const std::vector<const ConfigNode*> tables = tables_under(root, "exclude", findings);
  for (std::size_t i = 0; i < left_out.size(); ++i)
    if (left_out[i] == 0)
      findings.add(tables[i]->where, "exclude",
                   "exclude that leaves no cell out; allowed: values that some cell has together");
  if (num_cells == 0)
    findings.add(root.where, "exclude",
                 "no cell is left; allowed: exclusions that leave at least one");
  else if (num_drafting == 0 && experiment_kind(config.kind).looks_at_drafts())
    findings.add(root.where, "exclude",
                 fmt::format("no cell with a drafter is left; allowed for the kind {}: exclusions "
                             "that leave at least one",
                             config.kind));
}

}  // namespace speclab::experiments
