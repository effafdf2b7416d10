#include "experiments/drivers/config/config_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <toml++/toml.h>

#include "sim/core/errors.h"
#include "sim/core/files.h"
#include "sim/core/toml_depth.h"

namespace speclab::experiments {
namespace {

std::string position(const std::string& name, const toml::source_region& region) {
  return fmt::format("{}:{}:{}", name, region.begin.line, region.begin.column);
}

ConfigNode convert(const toml::node& node, const std::string& name);

ConfigNode::TableEntries convert_table(const toml::table& table, const std::string& name) {
  ConfigNode::TableEntries entries;
  for (const auto& [key, node] : table) entries.push_back({std::string(key.str()), position(name, key.source()), convert(node, name)});
  return entries;
}

ConfigNode::List convert_list(const toml::array& array, const std::string& name) {
  ConfigNode::List list;
  for (const toml::node& node : array) list.push_back(convert(node, name));
  return list;
}

ConfigNode convert(const toml::node& node, const std::string& name) {
  const std::string where = position(name, node.source());
  if (const auto* table = node.as_table()) return {where, convert_table(*table, name)};
  if (const auto* array = node.as_array()) return {where, convert_list(*array, name)};
  if (const auto text = node.value_exact<std::string>()) return {where, *text};
  if (const auto integer = node.value_exact<std::int64_t>()) return {where, *integer};
  if (const auto real = node.value_exact<double>()) return {where, *real};
  if (const auto flag = node.value_exact<bool>()) return {where, *flag};
  throw ConfigError(fmt::format("{}: a date or time; allowed: strings, numbers, true, false, lists, tables", where));
}

std::vector<std::string> split_key(const std::string& assignment, const std::string& key) {
  std::vector<std::string> parts{""};
  for (const char c : key) {
    if (c == '.') parts.emplace_back();
    else parts.back() += c;
  }
  if (std::ranges::any_of(parts, &std::string::empty) || parts.size() > kMaxTomlKeyParts)
    throw ConfigError(fmt::format("--set {}; allowed: key=value with a key as in axes.temperature", escaped(assignment, 60)));
  return parts;
}

/// A value of the command line has no line and column.
void relocate(ConfigNode& node, const std::string& where) {
  node.where = where;
  if (auto* list = std::get_if<ConfigNode::List>(&node.value))
    for (ConfigNode& element : *list) relocate(element, where);
}

/// TOML, or else a bare word as a string.
ConfigNode parse_value(const std::string& text, const std::string& where) {
  try {
    if (too_deep_toml_line(text) > 0) return {where, text};
    const toml::table table = toml::parse("value = " + text);
    ConfigNode node = convert(*table.get("value"), where);
    relocate(node, where);
    if (table.size() == 1) return node;
  } catch (const toml::parse_error&) {
    return {where, text};
  }
  return {where, text};
}

ConfigNode& child(ConfigNode& table, const std::string& key, const std::string& where) {
  auto* entries = std::get_if<ConfigNode::TableEntries>(&table.value);
  if (!entries) throw ConfigError(fmt::format("{}: {} = {} is no table", where, key, table.text()));
  const auto found = std::ranges::find(*entries, key, &ConfigEntry::key);
  if (found != entries->end()) return found->node;
  entries->push_back({key, where, {where, ConfigNode::TableEntries{}}});
  return entries->back().node;
}

std::string shortened(const std::string& text) { return text.size() <= 60 ? text : text.substr(0, 57) + "..."; }

struct TextOf {
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(const std::string& text) const { return "\"" + escaped(text) + "\""; }
  std::string operator()(const ConfigNode::TableEntries&) const { return "a table"; }
  std::string operator()(const ConfigNode::List& list) const {
    std::string text;
    for (const ConfigNode& node : list) text += (text.empty() ? "" : ", ") + node.text();
    return "[" + text + "]";
  }
};

}  // namespace

std::string ConfigNode::text() const { return shortened(whole_text()); }

std::string ConfigNode::whole_text() const { return std::visit(TextOf{}, value); }

ConfigNode parse_config(const std::string& content, const std::string& name) {
  if (const std::size_t line = too_deep_toml_line(content); line > 0)
    throw ConfigError(fmt::format("{}:{}: a dotted key of more than {} parts", name, line, kMaxTomlKeyParts));
  try {
    return {name, convert_table(toml::parse(content, name), name)};
  } catch (const toml::parse_error& error) {
    throw ConfigError(fmt::format("{}: {}", position(name, error.source()), error.description()));
  }
}

ConfigNode read_config(const std::string& path) {
  std::string content;
  try {
    content = read_file(path);
  } catch (const DataError& error) {
    throw ConfigError(error.what());
  }
  return parse_config(content, path);
}

void set_config_value(ConfigNode& root, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string key = assignment.substr(0, std::min(equals, assignment.size()));
  const std::vector<std::string> parts = split_key(assignment, equals == std::string::npos ? "" : key);
  const std::string where = "--set " + key;
  ConfigNode* node = &root;
  for (const std::string& part : parts) node = &child(*node, part, where);
  if (const auto* entries = std::get_if<ConfigNode::TableEntries>(&node->value); entries && !entries->empty())
    throw ConfigError(fmt::format("{}: is a table; set one of its keys", where));
  *node = parse_value(assignment.substr(equals + 1), where);
}

std::string opening_comment(const std::string& content) {
  std::string comment;
  for (std::size_t at = 0; at < content.size() && content[at] == '#';) {
    const std::size_t end = std::min(content.find('\n', at), content.size());
    const std::size_t first = std::min(content.find_first_not_of("# \t", at), end);
    comment += (comment.empty() || first == end ? "" : " ") + content.substr(first, end - first);
    at = end + 1;
  }
  return comment;
}

}  // namespace speclab::experiments
