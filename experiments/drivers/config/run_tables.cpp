#include "experiments/drivers/config/run_tables.h"

#include <algorithm>

namespace speclab::experiments {

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
