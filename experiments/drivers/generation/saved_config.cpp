#include "experiments/drivers/generation/saved_config.h"

#include <fmt/format.h>

#include <filesystem>

#include "sim/core/errors.h"
#include "sim/core/files.h"

namespace speclab::experiments {

KeyValue saved_values(const GenerationConfig& config) {
  KeyValue values = KeyValue::object();
  for (const GenerationKey& key : generation_keys()) {
    const KeyValue& value = config.value(key.name);
    // The folder's ends belong to its tokenizer.
    const bool is_of_folder =
        key.group == KeyGroup::special_token && !config.is_given_by_user(key.name);
    if (value.is_null() || is_of_folder) continue;
    // Without max_length speclab takes another length than transformers.
    if (config.differs_from_transformers(key.name) || config.hides_folder(key.name) ||
        key.name == std::string("max_length"))
      values[key.name] = value;
  }
  return values;
}

void save_generation_config(const GenerationConfig& config, const std::string& path) {
  std::error_code ignored;
  if (path.empty() || std::filesystem::is_directory(path, ignored))
    throw ConfigError(
        fmt::format("--save-generation-config {}: a folder or nothing; allowed: a "
                    "file",
                    escaped(path, kLongestPath)));
  write_file(path,
             saved_values(config).dump(2, ' ', false, KeyValue::error_handler_t::replace) + "\n");
}

}  // namespace speclab::experiments
