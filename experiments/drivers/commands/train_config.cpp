#include "experiments/drivers/commands/train_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "experiments/drivers/config/config_checks.h"
#include "experiments/drivers/plan/chat_prompt.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

/// What stands in a prompt template for one of a list's entries, and how fast the list is walked through.
struct Slot {
  const char* list;
  const char* mark;
  std::size_t stride;
  std::vector<std::string> entries{};
};

void fill(std::string& prompt, const Slot& slot, std::size_t index) {
  const std::string_view mark = slot.mark;
  const std::string& entry = slot.entries[index % slot.entries.size()];
  for (std::size_t at = 0; (at = prompt.find(mark, at)) != std::string::npos; at += entry.size()) prompt.replace(at, mark.size(), entry);
}

/// "{topik}" would be asked of the target as it stands.
void check_marks(const std::string& path, const std::string& pattern, const std::vector<Slot>& slots) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz_";
  for (std::size_t at = 0; (at = pattern.find('{', at)) != std::string::npos; ++at) {
    const std::size_t end = pattern.find_first_not_of(kLetters, at + 1);
    if (end == std::string::npos || pattern[end] != '}' || end == at + 1) continue;
    const std::string mark = pattern.substr(at, end + 1 - at);
    if (std::ranges::find(slots, mark, [](const Slot& slot) { return std::string_view(slot.mark); }) == slots.end())
      throw ConfigError(fmt::format("{}: a template has the slot {}; allowed: {{topic}}, {{passage}}, {{code}}, {{sum}}", path, mark));
  }
}

std::vector<Slot> read_slots(ConfigReader& reader, const std::string& path, const std::vector<std::string>& templates) {
  std::vector<Slot> slots{{"topics", "{topic}", 7}, {"passages", "{passage}", 5}, {"codes", "{code}", 3}, {"sums", "{sum}", 1}};
  for (Slot& slot : slots) {
    reader.read(slot.list, slot.entries);
    const bool needed = std::ranges::any_of(templates, [&](const std::string& pattern) { return pattern.find(slot.mark) != std::string::npos; });
    if (needed && slot.entries.empty()) throw ConfigError(fmt::format("{}: a template has the slot {}, but {} is empty; add entries", path, slot.mark, slot.list));
  }
  for (const std::string& pattern : templates) check_marks(path, pattern, slots);
  std::erase_if(slots, [](const Slot& slot) { return slot.entries.empty(); });
  return slots;
}

std::vector<std::string> make_prompts(const std::string& path, std::size_t count) {
  const ConfigNode table = read_config(path);
  std::vector<std::string> templates;
  ConfigReader reader(table);
  reader.read("templates", templates);
  const std::vector<Slot> slots = read_slots(reader, path, templates);
  reader.finish();
  if (templates.empty()) throw ConfigError(fmt::format("{}: templates are needed", path));
  std::vector<std::string> prompts;
  for (std::size_t i = 0; i < count; ++i) {
    prompts.push_back(templates[i % templates.size()]);
    for (const Slot& slot : slots) fill(prompts.back(), slot, i / templates.size() + slot.stride * i);
  }
  return prompts;
}

void read_target(const ConfigNode& table, TrainConfig& config) {
  ConfigReader reader(table, "target");
  reader.read("model", config.target.model);
  reader.read("dtype", config.target.dtype, {"auto", "float32", "bfloat16"});
  reader.read("chat_template", config.chat_template, kChatTemplates);
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
  reader.read("num_prompts", prompts.count, {.low = 1, .high = 1'000'000});
  read_temperatures(reader, "temperatures", options.temperatures);
  reader.read("max_new_tokens", options.max_new_tokens, {.low = 1});
  reader.read("batch", options.batch, {.low = 1});
  reader.read("seed", options.seed);
  reader.read("cache_file", options.cache_file);
  reader.finish();
}

void refuse_odd_sizes(ConfigReader& reader, std::initializer_list<std::pair<const char*, std::int32_t>> sizes) {
  for (const auto& [key, size] : sizes)
    if (size % 16 != 0) reader.refuse(key, "multiples of 16");
}

void read_small_transformer(ConfigReader& reader, engines::SmallTransformerOptions& model) {
  reader.read("hidden_size", model.hidden_size, {.low = 1});
  reader.read("num_layers", model.num_layers, {.low = 1});
  reader.read("num_heads", model.num_heads, {.low = 1});
  reader.read("intermediate_size", model.intermediate_size, {.low = 1});
  refuse_odd_sizes(reader, {{"hidden_size", model.hidden_size}, {"intermediate_size", model.intermediate_size}});
  if (model.hidden_size % (16 * std::int64_t{model.num_heads}) != 0)
    reader.refuse("num_heads", fmt::format("divisors of hidden_size = {} that make heads as wide as a multiple of 16", model.hidden_size));
}

void read_feature_transformer(ConfigReader& reader, engines::FeatureTransformerOptions& model) {
  reader.read("num_layers", model.num_layers, {.low = 1});
  reader.read("intermediate_size", model.intermediate_size, {.low = 1});
  refuse_odd_sizes(reader, {{"intermediate_size", model.intermediate_size}});
  reader.read("draft_vocabulary", model.draft_vocabulary, {.low = 1});
  reader.read("unrolled_steps", model.unrolled_steps, {.low = 1, .high = 16});
  reader.read("step_weight", model.step_weight, {.low = 0, .high = 1});
  if (model.step_weight == 0) reader.refuse("step_weight", "numbers > 0");
  reader.read("feature_weight", model.feature_weight, {.low = 0, .high = 100});
}

void read_schedule(ConfigReader& reader, engines::TrainingSchedule& schedule) {
  reader.read("batch", schedule.batch, {.low = 1});
  reader.read("learning_rate", schedule.learning_rate, {.low = 0, .high = 1});
  if (schedule.learning_rate == 0) reader.refuse("learning_rate", "numbers > 0");
  reader.read("weight_decay", schedule.weight_decay, {.low = 0, .high = 10});
  reader.read("epochs", schedule.epochs, {.low = 1});
  reader.read("validation_sequences", schedule.validation_sequences, {.low = 1});
  reader.read("seed", schedule.seed);
}

void read_ngram(ConfigReader& reader, engines::NgramOptions& ngram) {
  reader.read("order", ngram.order, {.low = 1, .high = 5});
  reader.read("max_successors", ngram.max_successors, {.low = 1, .high = 255});
  reader.read("min_occurrences", ngram.min_occurrences, {.low = 1, .high = 1'000'000});
  reader.read("validation_sequences", ngram.validation_sequences, {.low = 0});
}

void read_drafter(const ConfigNode& table, engines::TrainOptions& options) {
  ConfigReader reader(table, "drafter");
  reader.read("kind", options.drafter, {engines::kTrainedDrafterKinds.begin(), engines::kTrainedDrafterKinds.end()});
  reader.read("output", options.output);
  if (options.drafter == "ngram") read_ngram(reader, options.ngram);
  else read_schedule(reader, options.schedule);
  if (options.drafter == "small_transformer") read_small_transformer(reader, options.small_transformer);
  if (options.drafter == "feature_transformer") read_feature_transformer(reader, options.feature_transformer);
  options.own_text.keeps_hidden = options.drafter == "feature_transformer";
  reader.finish();
}

/// @param folder  of the config: what files are relative to
void read_text(const ConfigNode& table, const std::filesystem::path& folder, engines::TextOptions& text) {
  ConfigReader reader(table, "text");
  reader.read("files", text.files);
  reader.read("held_out_files", text.held_out_files);
  reader.finish();
  for (std::vector<std::string>* files : {&text.files, &text.held_out_files})
    for (std::string& file : *files) file = (folder / file).string();
}

}  // namespace

TrainConfig read_train_config(const std::string& path, const std::string& output) {
  const ConfigNode root = read_config(path);
  TrainConfig config;
  config.target.model = "smollm2-135m";
  PromptSource prompts;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  ConfigReader reader(root);
  if (const ConfigNode* table = reader.table("target")) read_target(*table, config);
  if (const ConfigNode* table = reader.table("own_text")) read_own_text(*table, config.options.own_text, prompts);
  if (const ConfigNode* table = reader.table("text")) read_text(*table, folder, config.options.text);
  if (const ConfigNode* table = reader.table("drafter")) read_drafter(*table, config.options);
  reader.finish();
  if (!output.empty()) config.options.output = output;
  if (config.options.output.empty()) throw ConfigError(fmt::format("{}: drafter.output is missing; name the drafter's folder, or give --output", path));
  if (reader.has("own_text") || !reader.has("text")) config.prompts = make_prompts((folder / prompts.file).string(), static_cast<std::size_t>(prompts.count));
  return config;
}

}  // namespace speclab::experiments
