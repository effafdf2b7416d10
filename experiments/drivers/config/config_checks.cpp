#include "experiments/drivers/config/config_checks.h"

#include <algorithm>
#include <cctype>

namespace speclab::experiments {
namespace {

/// Leaves room for what file systems and tables put beside it: 255 bytes are a file's name.
constexpr std::size_t kLongestName = 200;

}  // namespace

bool is_name(const std::string& text) {
  const auto is_name_character = [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-' || c == '.';
  };
  return !text.empty() && text.size() <= kLongestName && text.front() != '.' &&
         std::ranges::all_of(text, is_name_character);
}

ConfigReader RunTables::reader(const std::string& table) const {
  for (const ConfigEntry& entry : std::get<ConfigNode::TableEntries>(root_.value))
    if (entry.key == table && entry.node.is_table())
      return ConfigReader(entry.node, table, &findings_);
  return ConfigReader(missing_, table, &findings_);
}

bool RunTables::are_right(std::initializer_list<const char*> keys) const {
  return std::ranges::none_of(keys, [&](const char* key) {
    return findings_.concerns(key) ||
           findings_.is_about(std::string(key).substr(0, std::string(key).find('.')));
  });
}

}  // namespace speclab::experiments
