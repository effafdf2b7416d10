#include "experiments/drivers/toml/config_tree.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>

#include "sim/system/errors.h"
#include "sim/system/toml_depth.h"

namespace speclab::experiments {
namespace {

using Source = std::shared_ptr<const SourceText>;

ConfigPlace place(const Source& source, const toml::source_region& region) {
  if (source->is_option) return {source};
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

}  // namespace speclab::experiments
