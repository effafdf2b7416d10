#include "experiments/drivers/config/config_paths.h"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "experiments/drivers/prompts/prompt_set.h"
#include "sim/system/files.h"
#include "sim/system/versions.h"

namespace speclab::experiments {
namespace {

namespace fs = std::filesystem;

using Resolve = std::function<std::string(const ConfigPlace&, const std::string&)>;

ConfigNode* member(ConfigNode* table, const std::string& key) {
  if (!table || !table->is_table()) return nullptr;
  auto& entries = std::get<ConfigNode::TableEntries>(table->value);
  const auto found = std::ranges::find(entries, key, &ConfigEntry::key);
  return found == entries.end() ? nullptr : &found->node;
}

/// Every text of a value or a list.
void resolve(ConfigNode* node, const Resolve& resolved) {
  if (!node) return;
  if (auto* text = std::get_if<std::string>(&node->value)) *text = resolved(node->where, *text);
  if (node->is_list())
    for (ConfigNode& element : std::get<ConfigNode::List>(node->value)) resolve(&element, resolved);
}

bool is_in_file(const ConfigPlace& where) { return where.line > 0; }

/// Relative to the file, or to the working directory for an option.
fs::path path_beside(const ConfigPlace& where, const std::string& text) {
  return is_in_file(where) ? fs::path(where.source->name).parent_path() / text : fs::path(text);
}

std::string whole_path(const fs::path& path) {
  std::error_code none;
  const fs::path whole = fs::absolute(path, none);
  return (none ? path : whole).lexically_normal().string();
}

bool is_model(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(path, none) || fs::exists(path / "config.json", none) ||
         fs::exists(path / "manifest.json", none) || !versions_in(path.string()).empty();
}

/// A text without a slash is a name unless such a model lies beside the file.
std::string model_from(const ConfigPlace& where, const std::string& text) {
  const fs::path path = path_beside(where, text);
  const bool is_name = text.find('/') == std::string::npos;
  return is_name && is_in_file(where) && is_model(path) ? whole_path(path) : path_from(where, text);
}

/// A set of the project is known by its name.
std::string set_from(const ConfigPlace& where, const std::string& text) {
  if (text.empty() || is_project_set(text)) return text;
  std::error_code none;
  const fs::path path = path_beside(where, text);
  const bool is_file = is_in_file(where) && path.has_extension();
  return is_file || fs::exists(path, none) ? whole_path(path) : path_from(where, text);
}

}  // namespace

std::string path_from(const ConfigPlace& where, const std::string& given) {
  const std::string text = expanded_home(given);
  if (text.find('/') == std::string::npos || fs::path(text).is_absolute()) return text;
  const fs::path path = path_beside(where, text);
  std::error_code none;
  const bool may_be_of_a_hub = std::ranges::count(text, '/') == 1 && text.front() != '.' &&
                               !fs::exists(path.parent_path(), none) && !fs::exists(text, none);
  return may_be_of_a_hub ? text : whole_path(path);
}

void resolve_train_paths(ConfigNode& root) {
  const auto beside = [](const ConfigPlace& where, const std::string& text) {
    const std::string path = expanded_home(text);
    return path.empty() ? path : path_beside(where, path).lexically_normal().string();
  };
  const auto model_beside = [&](const ConfigPlace& where, const std::string& text) {
    const bool is_name = text.find('/') == std::string::npos && !is_model(path_beside(where, text));
    return is_name ? text : beside(where, text);
  };
  resolve(member(member(&root, "target"), "model"), model_beside);
  for (const char* key : {"output", "start_from", "vocabulary_from"})
    resolve(member(member(&root, "drafter"), key), beside);
  for (const char* key : {"files", "held_out_files", "cache_file"})
    resolve(member(member(&root, "text"), key), beside);
  for (const char* key : {"prompts", "cache_file"})
    resolve(member(member(&root, "own_text"), key), beside);
}

void resolve_run_paths(ConfigNode& root) {
  resolve(member(member(&root, "target"), "model"), model_from);
  for (const char* list : {"zip", "exclude"})
    if (ConfigNode* tables = member(&root, list); tables && tables->is_list())
      for (ConfigNode& table : std::get<ConfigNode::List>(tables->value))
        resolve(member(&table, "model"), model_from);
  if (ConfigNode* drafters = member(&root, "drafters"); drafters && drafters->is_table())
    for (ConfigEntry& drafter : std::get<ConfigNode::TableEntries>(drafters->value))
      resolve(member(&drafter.node, "model"), model_from);
  for (const char* table : {"prompts", "pilot"})
    resolve(member(member(&root, table), "set"), set_from);
}

}  // namespace speclab::experiments
