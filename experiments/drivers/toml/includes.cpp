#include "experiments/drivers/toml/includes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "experiments/drivers/toml/config_reader.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

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

}  // namespace

ConfigNode read_config_with_includes(const std::string& path, Findings& findings) {
  return Includes(findings).read(path, read_config_text(path));
}

}  // namespace speclab::experiments
