#include "experiments/drivers/commands/commands.h"

#include <fmt/format.h>

#include "experiments/drivers/config/key_reference.h"
#include "experiments/drivers/config/run_schema.h"
#include "experiments/drivers/config/train_schema.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

std::vector<DescribedKey> beginning_with(std::vector<DescribedKey> keys, const std::string& begin) {
  std::erase_if(keys, [&](const DescribedKey& key) { return !key.doc.name().starts_with(begin); });
  return keys;
}

std::string key_list(const std::string& command, const std::vector<DescribedKey>& keys) {
  return keys.empty() ? "" : fmt::format("Keys of speclab {}\n\n{}", command, reference_text(keys));
}

}  // namespace

std::string config_reference_page() {
  return fmt::format("## Keys of `speclab run`\n\n{}\n## Keys of `speclab train`\n\n{}",
                     reference_markdown(described_run_keys()),
                     reference_markdown(described_train_keys()));
}

int run_config_command(const ConfigCommandOptions& options) {
  const std::vector<DescribedKey> run = beginning_with(described_run_keys(), options.key),
                                  train = beginning_with(described_train_keys(), options.key);
  if (run.empty() && train.empty())
    throw ConfigError(
        fmt::format("no key begins with '{}'; allowed: beginnings of the keys that speclab config "
                    "--describe lists",
                    escaped(options.key, 60)));
  if (options.markdown)
    fmt::print("{}", config_reference_page());
  else if (options.json)
    fmt::print("{{\"run\": {}, \"train\": {}}}\n", reference_json(run), reference_json(train));
  else
    fmt::print("{}{}{}", key_list("run", run), run.empty() || train.empty() ? "" : "\n",
               key_list("train", train));
  return 0;
}

}  // namespace speclab::experiments
