#include "experiments/drivers/toml/config_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "experiments/drivers/toml/config_reader.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/toml_depth.h"

namespace speclab::experiments {
namespace {

std::string read_config_text(const std::string& path) {
  try {
    return read_file(path);
  } catch (const DataError& error) {
    throw ConfigError(error.what());
  }
}

std::string identity(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(path, error);
  return error ? path : whole.string();
}

/// Adds what `table` lacks; tables of both are merged key by key.
void merge(ConfigNode& table, const ConfigNode& base) {
  auto& entries = std::get<ConfigNode::TableEntries>(table.value);
  for (const ConfigEntry& entry : std::get<ConfigNode::TableEntries>(base.value)) {
    const auto own = std::ranges::find(entries, entry.key, &ConfigEntry::key);
    if (own == entries.end())
      entries.push_back(entry);
    else if (own->node.is_table() && entry.node.is_table())
      merge(own->node, entry.node);
  }
}

class Includes {
 public:
  explicit Includes(Findings& findings) : findings_(findings) {}

  ConfigNode read(const std::string& path, const std::string& content) {
    open_.push_back(path);
    ConfigNode root = parse_config(std::make_shared<SourceText>(SourceText{
                                       .name = path, .content = content, .order = num_files_++}),
                                   findings_);
    std::vector<std::string> files;
    ConfigReader reader(root, "", &findings_);
    reader.read("include", files);
    ConfigNode merged = root;
    for (std::size_t i = files.size(); i-- > 0;)
      if (const auto base = read_included(
              (std::filesystem::path(path).parent_path() / files[i]).string(), reader, i))
        merge(merged, *base);
    open_.pop_back();
    return merged;
  }

 private:
  std::optional<ConfigNode> read_included(const std::string& path, const ConfigReader& reader,
                                          std::size_t index) {
    if (std::ranges::find(open_, identity(path), identity) != open_.end())
      reader.refuse_element("include", index,
                            fmt::format("files that do not include each other: {}, {}",
                                        fmt::join(open_, ", "), path));
    else if (num_files_ >= kMostIncludes)
      reader.refuse_element("include", index,
                            fmt::format("at most {} files in all", kMostIncludes));
    else
      return read_file_of(path, reader, index);
    return std::nullopt;
  }

  std::optional<ConfigNode> read_file_of(const std::string& path, const ConfigReader& reader,
                                         std::size_t index) {
    std::string content;
    try {
      content = read_config_text(path);
    } catch (const ConfigError& error) {
      reader.add("include", index,
                 fmt::format("include: {}; allowed: files that can be read", error.what()));
      return std::nullopt;
    }
    return read(path, content);
  }

  Findings& findings_;
  std::vector<std::string> open_;  ///< files that are being read, outermost first
  int num_files_ = 0;
};

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

/// An option of the command line, which stands behind all files.
std::shared_ptr<const SourceText> option_source(const std::string& key, const std::string& value) {
  return std::make_shared<SourceText>(SourceText{.name = "--set " + key,
                                                 .content = "value = " + value,
                                                 .order = std::numeric_limits<int>::max(),
                                                 .is_option = true});
}

/// TOML, or else a bare word as a string.
ConfigNode parse_option(const ConfigPlace& option, const std::string& text) {
  Findings findings;
  const ConfigNode root = parse_config(option.source, findings);
  const auto& entries = std::get<ConfigNode::TableEntries>(root.value);
  if (findings.empty() && entries.size() == 1) return entries.front().node;
  if (text.find_first_not_of("+-0123456789") == std::string::npos) findings.throw_if_any();
  return {option, text};
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

/// A table that stands for a list of numbers is a value.
bool is_range(const ConfigNode::TableEntries& entries) {
  return std::ranges::any_of(entries, [](const ConfigEntry& entry) { return entry.key == "from"; });
}

}  // namespace

ConfigNode read_config(const std::string& path) {
  return parse_config(read_config_text(path), path);
}

ConfigNode read_config_with_includes(const std::string& path, Findings& findings) {
  return Includes(findings).read(path, read_config_text(path));
}

void set_config_value(ConfigNode& root, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string key = assignment.substr(0, std::min(equals, assignment.size()));
  const std::vector<std::string> parts =
      split_key(assignment, equals == std::string::npos ? "" : key);
  const std::string value = assignment.substr(equals + 1);
  const ConfigPlace where{option_source(key, value)};
  ConfigNode* node = &root;
  for (const std::string& part : parts) node = &child(*node, part, where);
  if (const auto* entries = std::get_if<ConfigNode::TableEntries>(&node->value);
      entries && !entries->empty() && !is_range(*entries))
    throw ConfigError(fmt::format("{}: is a table; set one of its keys", where.text()));
  *node = parse_option(where, value);
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
