#include "experiments/drivers/toml/config_tree.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>

#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/toml_depth.h"

namespace speclab::experiments {
namespace {

using Source = std::shared_ptr<const SourceText>;

ConfigPlace place(const Source& source, const toml::source_region& region) {
  return {source, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

ConfigNode convert(const toml::node& node, const Source& source, Findings& findings);

ConfigNode::TableEntries convert_table(const toml::table& table, const Source& source,
                                       Findings& findings) {
  ConfigNode::TableEntries entries;
  for (const auto& [key, node] : table)
    entries.push_back(
        {std::string(key.str()), place(source, key.source()), convert(node, source, findings)});
  return entries;
}

ConfigNode::List convert_list(const toml::array& array, const Source& source, Findings& findings) {
  ConfigNode::List list;
  for (const toml::node& node : array) list.push_back(convert(node, source, findings));
  return list;
}

ConfigNode convert(const toml::node& node, const Source& source, Findings& findings) {
  const ConfigPlace where = place(source, node.source());
  if (const auto* table = node.as_table()) return {where, convert_table(*table, source, findings)};
  if (const auto* array = node.as_array()) return {where, convert_list(*array, source, findings)};
  if (const auto text = node.value_exact<std::string>()) return {where, *text};
  if (const auto integer = node.value_exact<std::int64_t>()) return {where, *integer};
  if (const auto real = node.value_exact<double>()) return {where, *real};
  if (const auto flag = node.value_exact<bool>()) return {where, *flag};
  findings.add(where, "", "a date or time; allowed: strings, numbers, true, false, lists, tables");
  return {where, false};
}

/// The parser's message without control bytes; what it quotes may be the rest of the file.
std::string one_line(std::string_view description) {
  std::string text;
  for (const char c : description)
    text += static_cast<unsigned char>(c) < 0x20 ? escaped({&c, 1}) : std::string(1, c);
  if (text.find("cannot redefine") != std::string::npos)
    text += "; allowed: each key and table once";
  return text;
}

/// Numbers that do not fit are blamed where they end; the message quotes them.
ConfigPlace beginning(ConfigPlace where, std::string_view description) {
  const std::size_t first = description.find('\''), last = description.rfind('\'');
  const bool is_number = description.find("not representable") != std::string_view::npos ||
                         description.find("could not be interpreted") != std::string_view::npos;
  if (is_number && last > first + 1)
    where.column = std::max(where.column - static_cast<int>(last - first - 1), 1);
  return where;
}

/// Blanks a line that is "key = ..." as a whole, so that the rest can be read on.
bool blank_assignment(std::string& content, int line) {
  std::size_t begin = 0;
  for (int i = 1; i < line; ++i) begin = content.find('\n', begin) + 1;
  const std::size_t end = std::min(content.find('\n', begin), content.size());
  const std::string_view text(content.data() + begin, end - begin);
  const std::size_t first = text.find_first_not_of(" \t"), equals = text.find('=');
  const bool is_assignment =
      first != std::string_view::npos && equals != std::string_view::npos &&
      std::string_view("[]{}\"',").find(text[first]) == std::string_view::npos;
  if (is_assignment) content.replace(begin, end - begin, end - begin, ' ');
  return is_assignment && text.find("\"\"\"") == std::string_view::npos &&
         text.find("'''") == std::string_view::npos;
}

std::vector<std::string> split_key(const std::string& assignment, const std::string& key) {
  std::vector<std::string> parts{""};
  for (const char c : key) {
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (std::ranges::any_of(parts, &std::string::empty) || parts.size() > kMaxTomlKeyParts)
    throw ConfigError(
        fmt::format("--set {}; allowed: key=value with a key such as axes.temperature",
                    escaped(assignment, 60)));
  if (parts.front() == "include")
    throw ConfigError(
        fmt::format("--set {}; allowed: include only in the file itself", escaped(assignment, 60)));
  return parts;
}

/// A value of the command line has no line and column.
void relocate(ConfigNode& node, const ConfigPlace& where) {
  node.where = where;
  if (auto* list = std::get_if<ConfigNode::List>(&node.value))
    for (ConfigNode& element : *list) relocate(element, where);
}

/// TOML, or else a bare word as a string.
ConfigNode parse_value(const std::string& text, const ConfigPlace& where) {
  try {
    if (too_deep_toml_line(text) > 0) return {where, text};
    const toml::table table = toml::parse("value = " + text);
    Findings findings;
    ConfigNode node = convert(*table.get("value"), where.source, findings);
    relocate(node, where);
    if (table.size() == 1 && findings.empty()) return node;
  } catch (const toml::parse_error& error) {
    if (text.find_first_not_of("+-0123456789") == std::string::npos)
      throw ConfigError(fmt::format("{}: {}", where.text(), one_line(error.description())));
  }
  return {where, text};
}

ConfigNode& child(ConfigNode& table, const std::string& key, const ConfigPlace& where) {
  auto* entries = std::get_if<ConfigNode::TableEntries>(&table.value);
  if (!entries)
    throw ConfigError(fmt::format("{}: {} = {} is no table", where.text(), key, table.text()));
  const auto found = std::ranges::find(*entries, key, &ConfigEntry::key);
  if (found != entries->end()) return found->node;
  entries->push_back({key, where, {where, ConfigNode::TableEntries{}}});
  return entries->back().node;
}

std::string shortened(const std::string& text) {
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

struct TextOf {
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  /// 32.0 as TOML has it, so that it is not taken for an integer.
  std::string operator()(double value) const {
    const std::string text = fmt::format("{}", value);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
  }
  std::string operator()(const std::string& text) const { return "\"" + escaped(text) + "\""; }
  std::string operator()(const ConfigNode::TableEntries&) const { return "a table"; }
  std::string operator()(const ConfigNode::List& list) const {
    std::string text;
    for (const ConfigNode& node : list) text += (text.empty() ? "" : ", ") + node.text();
    return "[" + text + "]";
  }
};

/// A table that stands for a list of numbers is a value.
bool is_range(const ConfigNode::TableEntries& entries) {
  return std::ranges::any_of(entries, [](const ConfigEntry& entry) { return entry.key == "from"; });
}

}  // namespace

std::string ConfigNode::text() const { return shortened(whole_text()); }

std::string ConfigNode::whole_text() const { return std::visit(TextOf{}, value); }

ConfigNode parse_config(const std::shared_ptr<const SourceText>& source, Findings& findings) {
  const ConfigPlace root{source, 1, 1};
  if (const std::size_t line = too_deep_toml_line(source->content); line > 0) {
    findings.add({source, static_cast<int>(line), 1}, "",
                 fmt::format("a dotted key of more than {} parts", kMaxTomlKeyParts));
    return {root, ConfigNode::TableEntries{}};
  }
  std::string content = source->content;
  for (int last_line = 0;;) {
    try {
      return {root, convert_table(toml::parse(std::string_view(content)), source, findings)};
    } catch (const toml::parse_error& error) {
      const ConfigPlace where = place(source, error.source());
      findings.add(beginning(where, error.description()), "", one_line(error.description()));
      const bool goes_on = where.line > last_line && findings.size() < Findings::kMostShown &&
                           blank_assignment(content, where.line);
      if (!goes_on) return {root, ConfigNode::TableEntries{}};
      last_line = where.line;
    }
  }
}

ConfigNode parse_config(const std::string& content, const std::string& name) {
  Findings findings;
  ConfigNode root = parse_config(
      std::make_shared<SourceText>(SourceText{.name = name, .content = content}), findings);
  findings.throw_if_any();
  return root;
}

std::string read_config_text(const std::string& path) {
  try {
    return read_file(path);
  } catch (const DataError& error) {
    throw ConfigError(error.what());
  }
}

ConfigNode read_config(const std::string& path) {
  return parse_config(read_config_text(path), path);
}

void set_config_value(ConfigNode& root, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string key = assignment.substr(0, std::min(equals, assignment.size()));
  const std::vector<std::string> parts =
      split_key(assignment, equals == std::string::npos ? "" : key);
  const ConfigPlace where = option_place("--set " + key);
  ConfigNode* node = &root;
  for (const std::string& part : parts) node = &child(*node, part, where);
  if (const auto* entries = std::get_if<ConfigNode::TableEntries>(&node->value);
      entries && !entries->empty() && !is_range(*entries))
    throw ConfigError(fmt::format("{}: is a table; set one of its keys", where.text()));
  *node = parse_value(assignment.substr(equals + 1), where);
}

void expect_config_of(ConfigCommand command, const ConfigNode& root, const std::string& path) {
  static const std::vector<std::string> run{"experiment",   "axes",    "zip",   "exclude",
                                            "prompts",      "pilot",   "costs", "drafters",
                                            "verification", "sampling"};
  static const std::vector<std::string> train{"drafter", "own_text", "text"};
  const bool is_run = command == ConfigCommand::run;
  const auto& entries = std::get<ConfigNode::TableEntries>(root.value);
  const auto first_of = [&](const std::vector<std::string>& tables) {
    return std::ranges::find_first_of(entries, tables, {}, &ConfigEntry::key);
  };
  const auto other = first_of(is_run ? train : run);
  if (other != entries.end() && first_of(is_run ? run : train) == entries.end())
    throw ConfigError(fmt::format("{}: the table [{}] is for another command; use speclab {} {}",
                                  other->where.text(), other->key, is_run ? "train" : "run", path));
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
