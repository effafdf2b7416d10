#include "experiments/drivers/plan/prompt_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "engines/formats/sha256.h"
#include "experiments/drivers/config/config_reader.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

std::string folder_of(const std::string& set) {
  return set.find('/') == std::string::npos ? std::string(SPECLAB_SOURCE_DIR "/experiments/prompts/") + set : set;
}

std::vector<std::string> categories_in(const std::string& folder) {
  std::vector<std::string> categories;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".toml") categories.push_back(entry.path().stem().string());
  if (categories.empty()) throw ConfigError(fmt::format("{}: no prompt set; allowed: a folder with a CATEGORY.toml for each category", folder));
  std::ranges::sort(categories);
  return categories;
}

Prompt read_prompt(const ConfigNode& node, const std::string& category) {
  Prompt prompt{.id = "", .category = category, .text = ""};
  ConfigReader reader(node, "prompt");
  reader.read("id", prompt.id);
  reader.read("text", prompt.text);
  reader.finish();
  if (prompt.id.empty()) reader.refuse("id", "a name");
  if (prompt.text.empty()) reader.refuse("text", "at least one character");
  return prompt;
}

std::vector<Prompt> read_category(const std::string& path, std::size_t count) {
  const ConfigNode root = read_config(path);
  std::string category;
  ConfigReader reader(root);
  reader.read("category", category);
  const ConfigNode* list = reader.list("prompt");
  reader.finish();
  std::vector<Prompt> prompts;
  for (const ConfigNode& node : std::get<ConfigNode::List>(list->value)) prompts.push_back(read_prompt(node, category));
  if (prompts.size() < count) throw ConfigError(fmt::format("{}: {} prompts; {} are asked for; lower per_category", path, prompts.size(), count));
  prompts.resize(count);
  return prompts;
}

}  // namespace

std::vector<Prompt> read_prompts(const PromptSelection& selection) {
  const std::string folder = folder_of(selection.set);
  const std::vector<std::string> known = categories_in(folder);
  std::vector<std::string> wanted = selection.categories.empty() ? known : selection.categories;
  std::ranges::sort(wanted);
  std::vector<Prompt> prompts;
  for (const std::string& category : wanted) {
    if (std::ranges::find(known, category) == known.end())
      throw ConfigError(fmt::format("prompts.categories = {}; allowed (in {}): {}", escaped(category), folder, fmt::join(known, ", ")));
    for (Prompt& prompt : read_category(fmt::format("{}/{}.toml", folder, category), static_cast<std::size_t>(selection.per_category))) {
      if (std::ranges::find(prompts, prompt.id, &Prompt::id) != prompts.end()) throw ConfigError(fmt::format("{}: id {} occurs twice", folder, prompt.id));
      prompts.push_back(std::move(prompt));
    }
  }
  return prompts;
}

std::string prompts_digest(const std::vector<Prompt>& prompts) {
  std::string all;
  for (const Prompt& prompt : prompts) all += fmt::format("{}\n{}\n{}\n{}\n", prompt.id, prompt.category, prompt.text.size(), prompt.text);
  return engines::sha256_text(all);
}

}  // namespace speclab::experiments
