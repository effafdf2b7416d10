#include "experiments/drivers/plan/prompt_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "experiments/drivers/config/config_reader.h"
#include "sim/core/data_folder.h"
#include "sim/core/errors.h"
#include "sim/core/sha256.h"

namespace speclab::experiments {
namespace {

std::vector<std::string> categories_in(const std::string& folder, const char* table) {
  std::vector<std::string> categories;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".toml") categories.push_back(entry.path().stem().string());
  if (categories.empty())
    throw ConfigError(fmt::format(
        "{}.set: {} is no prompt set; allowed: a folder with a CATEGORY.toml for each category",
        table, folder));
  std::ranges::sort(categories);
  return categories;
}

Prompt read_prompt(const ConfigNode& node, const std::string& category, Findings& findings) {
  Prompt prompt{.id = "", .category = category, .text = ""};
  ConfigReader reader(node, "prompt", &findings);
  reader.read("id", prompt.id);
  reader.read("text", prompt.text);
  reader.finish();
  if (prompt.id.empty()) reader.refuse("id", "a name");
  if (prompt.text.empty()) reader.refuse("text", "at least one character");
  return prompt;
}

/// The name stands in the file and is the file's name, so that what is selected is what the rows
/// say.
std::string read_category_name(ConfigReader& reader, const std::string& path) {
  std::string category;
  const std::string expected = std::filesystem::path(path).stem().string();
  reader.read("category", category);
  if (category != expected)
    reader.refuse("category", fmt::format("\"{}\", as the file is named", expected));
  return category;
}

std::vector<Prompt> read_category(const std::string& path, const PromptSelection& selection) {
  const ConfigNode root = read_config(path);
  Findings findings;
  ConfigReader reader(root, "", &findings);
  const std::string category = read_category_name(reader, path);
  const ConfigNode* list = reader.list("prompt");
  reader.finish();
  std::vector<Prompt> prompts;
  if (list)
    for (const ConfigNode& node : std::get<ConfigNode::List>(list->value))
      prompts.push_back(read_prompt(node, category, findings));
  findings.throw_if_any();
  const auto count = static_cast<std::size_t>(selection.per_category);
  if (prompts.size() < count)
    throw ConfigError(fmt::format("{}: {} prompts; {} are asked for; lower {}.per_category", path,
                                  prompts.size(), count, selection.table));
  prompts.resize(count);
  return prompts;
}

/// Pilots follow the measured categories, so a missing one is the set's fault there, not that of a
/// list.
void check_known(const std::string& category, const std::vector<std::string>& known,
                 const PromptSelection& selection) {
  if (std::ranges::find(known, category) != known.end()) return;
  const bool listed = selection.table == std::string_view("prompts");
  throw ConfigError(fmt::format("{}.{}: category {} is not in {}; there are: {}", selection.table,
                                listed ? "categories" : "set", escaped(category),
                                prompt_folder(selection.set), fmt::join(known, ", ")));
}

}  // namespace

std::string prompt_folder(const std::string& set) {
  std::string folder =
      set.find('/') == std::string::npos ? data_folder() + "/experiments/prompts/" + set : set;
  std::error_code error;
  const std::filesystem::path path = std::filesystem::weakly_canonical(folder, error);
  if (error) return folder;
  return path.has_filename() ? path.string() : path.parent_path().string();
}

std::vector<Prompt> read_prompts(const PromptSelection& selection) {
  const std::string folder = prompt_folder(selection.set);
  const std::vector<std::string> known = categories_in(folder, selection.table);
  std::vector<std::string> wanted = selection.categories.empty() ? known : selection.categories;
  std::ranges::sort(wanted);
  std::vector<Prompt> prompts;
  for (const std::string& category : wanted) {
    check_known(category, known, selection);
    for (Prompt& prompt : read_category(fmt::format("{}/{}.toml", folder, category), selection)) {
      if (std::ranges::find(prompts, prompt.id, &Prompt::id) != prompts.end())
        throw ConfigError(fmt::format("{}: id {} occurs twice", folder, prompt.id));
      prompts.push_back(std::move(prompt));
    }
  }
  return prompts;
}

void check_no_shared_ids(const std::vector<Prompt>& prompts, const std::vector<Prompt>& pilots) {
  for (const Prompt& pilot : pilots)
    if (std::ranges::find(prompts, pilot.id, &Prompt::id) != prompts.end())
      throw ConfigError(
          fmt::format("prompt id {} is in prompts.set and in pilot.set; pilots are never measured: "
                      "choose sets without a common prompt",
                      escaped(pilot.id)));
}

std::string prompts_digest(const std::vector<Prompt>& prompts) {
  std::string all;
  for (const Prompt& prompt : prompts)
    all += fmt::format("{}\n{}\n{}\n{}\n", prompt.id, prompt.category, prompt.text.size(),
                       prompt.text);
  return sha256_text(all);
}

}  // namespace speclab::experiments
