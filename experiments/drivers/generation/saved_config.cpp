#include "experiments/drivers/generation/saved_config.h"

#include <fmt/format.h>

#include <filesystem>

#include "sim/system/errors.h"
#include "sim/system/files.h"

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
  std::error_code none;
  const bool is_there = std::filesystem::exists(path, none);
  if (path.empty() || (is_there && !std::filesystem::is_regular_file(path, none)))
    throw ConfigError(
        fmt::format("--save-generation-config {}: no regular file; allowed: a regular file, which "
                    "is replaced, or a new name",
                    escaped(path, kLongestPath)));
  // A link stays, and the file that it names is written.
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, none);
  write_file(target.empty() ? path : target.string(),
             saved_values(config).dump(2, ' ', false, KeyValue::error_handler_t::replace) + "\n");
}

}  // namespace speclab::experiments
