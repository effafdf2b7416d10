#include "experiments/drivers/commands/train_config.h"

#include <fmt/format.h>

#include <filesystem>

#include "experiments/drivers/config/config_reader.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

std::string filled(std::string pattern, const std::string& slot, const std::string& text) {
  if (const std::size_t at = pattern.find(slot); at != std::string::npos) pattern.replace(at, slot.size(), text);
  return pattern;
}

std::vector<std::string> make_prompts(const std::string& path, std::size_t count) {
  const ConfigNode table = read_config(path);
  std::vector<std::string> templates, topics, passages;
  ConfigReader reader(table);
  reader.read("templates", templates);
  reader.read("topics", topics);
  reader.read("passages", passages);
  reader.finish();
  if (templates.empty() || topics.empty() || passages.empty()) throw ConfigError(fmt::format("{}: templates, topics and passages are needed", path));
  std::vector<std::string> prompts;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t turn = i / templates.size();
    const std::string& pattern = templates[i % templates.size()];
    prompts.push_back(filled(filled(pattern, "{topic}", topics[(turn + 7 * i) % topics.size()]), "{passage}", passages[(turn + 5 * i) % passages.size()]));
  }
  return prompts;
}

void read_target(const ConfigNode& table, engines::ModelOptions& target) {
  ConfigReader reader(table, "target");
  reader.read("model", target.model);
  reader.read("dtype", target.dtype);
  reader.finish();
}

/// Where the prompts come from, and how many.
struct PromptSource {
  std::string file = "../prompts/train.toml";
  std::int64_t count = 1000;
};

void read_own_text(const ConfigNode& table, engines::OwnTextOptions& options, PromptSource& prompts) {
  ConfigReader reader(table, "own_text");
  reader.read("prompts", prompts.file);
  reader.read("num_prompts", prompts.count, {.low = 1});
  reader.read("temperatures", options.temperatures, {.low = 0});
  reader.read("max_new_tokens", options.max_new_tokens, {.low = 1});
  reader.read("batch", options.batch, {.low = 1});
  reader.read("seed", options.seed);
  reader.read("cache_file", options.cache_file);
  reader.finish();
}

void read_drafter(const ConfigNode& table, engines::TrainOptions& options) {
  ConfigReader reader(table, "drafter");
  engines::SmallTransformerOptions& model = options.small_transformer;
  reader.read("kind", options.drafter);
  reader.read("output", options.output);
  reader.read("max_successors", options.max_successors, {.low = 1});
  reader.read("hidden_size", model.hidden_size, {.low = 1});
  reader.read("num_layers", model.num_layers, {.low = 1});
  reader.read("num_heads", model.num_heads, {.low = 1});
  reader.read("intermediate_size", model.intermediate_size, {.low = 1});
  reader.read("batch", model.batch, {.low = 1});
  reader.read("learning_rate", model.learning_rate, {.low = 0});
  reader.read("weight_decay", model.weight_decay, {.low = 0});
  reader.read("epochs", model.epochs, {.low = 1});
  reader.read("max_minutes", model.max_minutes, {.low = 0});
  reader.read("validation_sequences", model.validation_sequences, {.low = 0});
  reader.read("seed", model.seed);
  reader.finish();
}

}  // namespace

TrainConfig read_train_config(const std::string& path) {
  const ConfigNode root = read_config(path);
  TrainConfig config;
  config.target.model = "smollm2-135m";
  PromptSource prompts;
  ConfigReader reader(root);
  if (const ConfigNode* table = reader.table("target")) read_target(*table, config.target);
  if (const ConfigNode* table = reader.table("own_text")) read_own_text(*table, config.options.own_text, prompts);
  if (const ConfigNode* table = reader.table("drafter")) read_drafter(*table, config.options);
  reader.finish();
  config.prompts = make_prompts((std::filesystem::path(path).parent_path() / prompts.file).string(), static_cast<std::size_t>(prompts.count));
  return config;
}

}  // namespace speclab::experiments
