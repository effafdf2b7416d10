#include "experiments/drivers/config/train_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "engines/interface/names.h"
#include "experiments/drivers/config/config_paths.h"
#include "experiments/drivers/config/train_schema.h"
#include "experiments/drivers/toml/config_file.h"
#include "experiments/drivers/toml/config_reader.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/sha256.h"

namespace speclab::experiments {
namespace {

/// What stands in a prompt template for one of a list's entries, and how fast the list is walked
/// through.
struct Slot {
  const char* list;
  const char* mark;
  std::size_t stride;
  std::vector<std::string> entries{};
};

void fill(std::string& prompt, const Slot& slot, std::size_t index) {
  const std::string_view mark = slot.mark;
  const std::string& entry = slot.entries[index % slot.entries.size()];
  for (std::size_t at = 0; (at = prompt.find(mark, at)) != std::string::npos; at += entry.size())
    prompt.replace(at, mark.size(), entry);
}

/// "{topik}" would be asked of the target as it stands.
void check_marks(const std::string& path, const std::string& pattern,
                 const std::vector<Slot>& slots) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz_";
  for (std::size_t at = 0; (at = pattern.find('{', at)) != std::string::npos; ++at) {
    const std::size_t end = pattern.find_first_not_of(kLetters, at + 1);
    if (end == std::string::npos || pattern[end] != '}' || end == at + 1) continue;
    const std::string mark = pattern.substr(at, end + 1 - at);
    if (std::ranges::find(slots, mark, [](const Slot& slot) {
          return std::string_view(slot.mark);
        }) == slots.end())
      throw ConfigError(fmt::format(
          "{}: a template has the slot {}; allowed: {{topic}}, {{passage}}, {{code}}, {{sum}}",
          path, mark));
  }
}

std::vector<Slot> read_slots(ConfigReader& reader, const std::string& path,
                             const std::vector<std::string>& templates, const Findings& findings) {
  std::vector<Slot> slots{{"topics", "{topic}", 7},
                          {"passages", "{passage}", 5},
                          {"codes", "{code}", 3},
                          {"sums", "{sum}", 1}};
  for (Slot& slot : slots) reader.read(slot.list, slot.entries);
  reader.finish();
  findings.throw_if_any();
  for (const Slot& slot : slots) {
    const bool needed = std::ranges::any_of(templates, [&](const std::string& pattern) {
      return pattern.find(slot.mark) != std::string::npos;
    });
    if (needed && slot.entries.empty())
      throw ConfigError(fmt::format("{}: a template has the slot {}, but {} is empty; add entries",
                                    path, slot.mark, slot.list));
  }
  for (const std::string& pattern : templates) check_marks(path, pattern, slots);
  std::erase_if(slots, [](const Slot& slot) { return slot.entries.empty(); });
  return slots;
}

/// Heads are as wide as a multiple of 16.
void check_heads(const ConfigReader& reader, const engines::TrainOptions& options,
                 const Findings& findings) {
  const engines::SmallTransformerOptions& model = options.small_transformer;
  if (!options.trainer().makes_small_transformer() || findings.concerns("drafter.hidden_size") ||
      findings.concerns("drafter.num_heads"))
    return;
  if (model.hidden_size % (16 * std::int64_t{model.num_heads}) != 0)
    reader.refuse(
        "num_heads",
        fmt::format("divisors of hidden_size = {} that make heads as wide as a multiple of 16",
                    model.hidden_size));
}

/// Of keys that another kind has the use is refused.
void check_text_keys(const ConfigReader& reader, const std::string& kind) {
  for (const TrainKey& key : train_keys())
    if (key.table == "text" && !key.kinds.empty() && !engines::is_among(kind, key.kinds) &&
        reader.has(key.key.c_str()))
      reader.refuse(key.key.c_str(),
                    fmt::format("with drafter.kind {} only", fmt::join(key.kinds, ", ")));
}

/// @param without  what a training without the key has
void refuse_empty_folder(const ConfigReader& reader, const std::string& kind, const char* name,
                         const std::string& folder, const char* without) {
  const auto key = std::ranges::find(train_keys(), name, &TrainKey::key);
  const bool is_read = key->kinds.empty() || engines::is_among(kind, key->kinds);
  if (is_read && reader.has(name) && folder.empty())
    reader.refuse(name, fmt::format("a folder; leave the key out for {}", without));
}

/// The kind first: which other keys there are depends on it.
void read_drafter(ConfigReader& reader, TrainConfig& config, const Findings& findings) {
  std::string& kind = config.options.drafter;
  read_value(reader, train_keys().at(kDrafterKindKey),
             train_keys().at(kDrafterKindKey).value(config));
  const bool is_kind_right = !findings.concerns("drafter.kind");
  for (const TrainKey& key : train_keys()) {
    if (key.table != "drafter" || key.key == "kind") continue;
    if (key.kinds.empty() || (is_kind_right && engines::is_among(kind, key.kinds)))
      read_value(reader, key, key.value(config));
    else if (!is_kind_right)
      reader.find(key.key.c_str());
  }
  refuse_empty_folder(reader, kind, "start_from", config.options.distillation.start_from,
                      "random weights");
  refuse_empty_folder(reader, kind, "vocabulary_from", config.options.distillation.vocabulary_from,
                      "the draft vocabulary of the training text");
  check_heads(reader, config.options, findings);
  config.options.own_text.keeps_hidden = config.options.trainer().reads_states();
  config.options.own_text.keeps_layers = config.options.trainer().makes_feature_layers() &&
                                         config.options.feature_transformer.reads_layers;
}

void read_tables(ConfigReader& root, TrainConfig& config, Findings& findings) {
  for (const char* name : {"drafter", "target", "own_text", "text"}) {
    const ConfigNode* table = root.table(name);
    if (!table) continue;
    ConfigReader reader(*table, name, &findings);
    if (name == std::string_view("drafter"))
      read_drafter(reader, config, findings);
    else
      read_keys(reader, train_keys(), name, config);
    if ((name == std::string_view("target") || name == std::string_view("own_text")) &&
        config.is_language_model())
      findings.add(table->where, name,
                   fmt::format("[{}] with drafter.kind = \"language_model\"; allowed: nothing, "
                               "because it has no target",
                               name));
    if (name == std::string_view("text") && !findings.concerns("drafter.kind"))
      check_text_keys(reader, config.options.drafter);
    reader.finish();
  }
}

/// The value of a key as it would stand in a config; empty where it is not there.
std::string text_at(const ConfigNode& root, const char* table_name, const char* key) {
  ConfigReader reader(root);
  const ConfigNode* table = reader.table(table_name);
  if (!table) return "";
  ConfigReader keys(*table);
  const ConfigNode* node = keys.find(key);
  return node ? node->whole_text() : "";
}

/// Another target's drafter does not belong into the folder that the config names for its own.
void expect_own_folder(const std::string& path, const ConfigNode& file, const ConfigNode& changed) {
  const std::string output = text_at(changed, "drafter", "output");
  if (output.empty() || output != text_at(file, "drafter", "output") ||
      text_at(file, "target", "model") == text_at(changed, "target", "model"))
    return;
  throw ConfigError(fmt::format(
      "{}: --set names the target {}, and drafter.output = {} is the folder of the config's own; "
      "give --output FOLDER",
      path, text_at(changed, "target", "model"), output));
}

std::string cache_file(const std::string& kind, const engines::ModelInfo& target,
                       const std::string& choice) {
  const std::string made_from = fmt::format("{} {} {}", target.sha256, target.dtype, choice);
  return fmt::format("{}/{}_{}.bin", user_cache_folder(), kind,
                     sha256_text(made_from).substr(0, 12));
}

}  // namespace

std::vector<std::string> make_prompts(const std::string& path, std::size_t count) {
  const ConfigNode table = read_config(path);
  std::vector<std::string> templates;
  Findings findings;
  ConfigReader reader(table, "", &findings);
  reader.read("templates", templates);
  const std::vector<Slot> slots = read_slots(reader, path, templates, findings);
  if (templates.empty()) throw ConfigError(fmt::format("{}: templates are needed", path));
  std::vector<std::string> prompts;
  for (std::size_t i = 0; i < count; ++i) {
    prompts.push_back(templates[i % templates.size()]);
    for (const Slot& slot : slots)
      fill(prompts.back(), slot, i / templates.size() + slot.stride * i);
  }
  return prompts;
}

TrainConfig read_train_config(const std::string& path, const std::vector<std::string>& settings,
                              const std::string& output) {
  Findings findings;
  ConfigNode root = read_config_with_includes(path, findings);
  if (findings.empty()) expect_config_of(ConfigCommand::train, root, path);
  const ConfigNode unchanged = root;
  for (const std::string& setting : settings) set_config_value(root, setting);
  if (output.empty() && findings.empty()) expect_own_folder(path, unchanged, root);
  resolve_train_paths(root);
  TrainConfig config;
  config.prompt_file = (std::filesystem::path(path).parent_path() / config.prompt_file).string();
  ConfigReader reader(root, "", &findings);
  reader.find("include");
  read_tables(reader, config, findings);
  reader.finish();
  if (!output.empty()) config.options.output = output;
  if (config.options.output.empty() && findings.empty())
    findings.add(root.where, "drafter.output",
                 "drafter.output is missing; name the drafter's folder, or give --output");
  findings.throw_if_any();
  if (!config.is_language_model() && (reader.has("own_text") || !reader.has("text")))
    config.prompts = make_prompts(config.prompt_file, static_cast<std::size_t>(config.num_prompts));
  return config;
}

void name_text_caches(const engines::ModelInfo& target, engines::TrainOptions& options) {
  engines::OwnTextOptions& own = options.own_text;
  const std::string kind = own.keeps_layers   ? "own_text_layers"
                           : own.keeps_hidden ? "own_text_hidden"
                                              : "own_text";
  if (own.cache_file.empty())
    own.cache_file = cache_file(kind, target,
                                fmt::format("{} {} {} {}", own.max_new_tokens, own.batch, own.seed,
                                            fmt::join(own.temperatures, " ")));
  engines::TextOptions& text = options.text;
  if (text.cache_file.empty())
    text.cache_file = cache_file("file_text", target,
                                 fmt::format("{} {} {} {}", fmt::join(text.files, "\n"),
                                             fmt::join(text.held_out_files, "\n"),
                                             text.sequence_length, text.max_sequences));
}

}  // namespace speclab::experiments
