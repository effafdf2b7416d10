#include "experiments/drivers/prompts/prompt_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include "experiments/drivers/prompts/prompt_files.h"
#include "sim/system/data_folder.h"
#include "sim/system/errors.h"
#include "sim/system/sha256.h"

namespace speclab::experiments {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPooled = "all";  ///< the category of cells that hold every category

std::string project_sets() { return data_folder() + "/experiments/prompts"; }

bool is_prompt_file(const fs::path& path) {
  constexpr std::array kEndings = {".toml", ".jsonl", ".ndjson", ".json"};
  return !path.filename().string().starts_with('.') &&
         std::ranges::find(kEndings, path.extension().string()) != kEndings.end();
}

/// In alphabetical order; a file stands for itself.
std::vector<std::string> files_of(const std::string& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return {path};
  std::vector<std::string> files;
  fs::directory_iterator at(path, error);
  if (error && fs::exists(path))
    throw ConfigError(fmt::format("{}: cannot be read: {}; check its permissions",
                                  escaped(path, kLongestPath), error.message()));
  for (const fs::directory_iterator end; !error && at != end; at.increment(error))
    if (is_prompt_file(at->path())) files.push_back(at->path().string());
  std::ranges::sort(files);
  return files;
}

/// "prompts.set" of a config, "--prompts" and "--prompts-per-category" of a command line.
std::string key_of(const std::string& table, const std::string& key) {
  if (!table.starts_with("--")) return table + "." + key;
  std::string option = key == "set" ? table : table + "-" + key;
  std::ranges::replace(option, '_', '-');
  return option;
}

void check_ids(const PromptSet& set) {
  std::map<std::string, const Prompt*> by_id;
  for (const Prompt& prompt : set.prompts)
    if (const auto [same, is_new] = by_id.emplace(prompt.id, &prompt); !is_new)
      throw ConfigError(fmt::format(
          "{}: id {} occurs twice, with the texts \"{}\" and \"{}\"; allowed: an id once", set.path,
          escaped(prompt.id), escaped(same->second->text, 40), escaped(prompt.text, 40)));
}

std::vector<std::string> categories_of(const PromptSet& set) {
  std::vector<std::string> categories;
  for (const Prompt& prompt : set.prompts)
    if (categories.empty() || categories.back() != prompt.category)
      categories.push_back(prompt.category);
  return categories;
}

/// A category without pilots is the fault of the set of pilots; no list names it.
[[noreturn]] void refuse_unknown(const std::string& category, const PromptSet& set,
                                 const PromptSelection& selection) {
  std::vector<std::string> known = categories_of(set);
  constexpr std::size_t kMostShown = 20;
  if (known.size() > kMostShown) known.resize(kMostShown), known.emplace_back("...");
  const bool listed = selection.table == std::string_view("prompts");
  throw ConfigError(
      fmt::format("{}: category {} is not in {}; there are: {}{}",
                  key_of(selection.table, listed ? "categories" : "set"), escaped(category),
                  set.path, fmt::join(known, ", "),
                  listed ? "" : "; leave pilot.set out to hold pilots out of the measured set"));
}

/// @param there  prompts in the category
void check_count(std::ptrdiff_t there, const std::string& category, const PromptSet& set,
                 const PromptSelection& selection) {
  if (selection.takes_fewer || there >= selection.per_category + selection.held_out) return;
  const std::string where =
      fmt::format("{}: category {} has {} prompts; ", set.path, escaped(category), there);
  if (selection.held_out == 0)
    throw ConfigError(fmt::format("{}{} are asked for; lower {}", where, selection.per_category,
                                  key_of(selection.table, "per_category")));
  throw ConfigError(fmt::format(
      "{}{} are asked for, and {} more are held out as pilots, which are never measured; add "
      "prompts, lower prompts.per_category or pilot.per_category, leave the category out in "
      "prompts.categories, or name a set of pilots with pilot.set",
      where, selection.per_category, selection.held_out));
}

}  // namespace

std::string PromptSet::note() const {
  std::string text;
  if (num_cut > 0)
    text = fmt::format("{} prompts have further turns, which are left out: the first turn is read",
                       num_cut);
  if (num_left_out > 0)
    text += fmt::format("{}{} conversations that no user opens are left out",
                        text.empty() ? "" : "; ", num_left_out);
  return text.empty() ? "" : fmt::format("{}: {}", path, text);
}

std::string prompt_set_path(const std::string& set) {
  std::error_code error;
  const std::string of_project = project_sets() + "/" + set;
  const bool is_name =
      set.find('/') == std::string::npos && !set.starts_with('.') &&
      (fs::is_directory(of_project, error) || (!is_prompt_file(set) && !fs::exists(set, error)));
  const std::string given = is_name ? of_project : set;
  error.clear();
  const fs::path path = fs::weakly_canonical(given, error);
  if (error) return given;
  return path.has_filename() ? path.string() : path.parent_path().string();
}

bool is_project_set(const std::string& set) {
  std::error_code none;
  const fs::path path = prompt_set_path(set);
  return fs::equivalent(path.parent_path(), project_sets(), none) && fs::is_directory(path, none);
}

PromptSet read_prompt_set(const std::string& set, const char* table) {
  PromptSet read{.path = prompt_set_path(set)};
  const std::vector<std::string> files = files_of(read.path);
  if (files.empty())
    throw ConfigError(fmt::format(
        "{}: {} is {}; allowed: a set of the project (core, pilot), a folder with "
        "a CATEGORY.toml for each category or with JSONL files, or a JSONL or JSON file; a path in "
        "a config is relative to the config",
        key_of(table, "set"), escaped(read.path, kLongestPath),
        fs::exists(read.path) ? "no prompt set" : "not there"));
  for (const std::string& file : files) read_prompt_file(file, read);
  std::ranges::stable_sort(read.prompts, {}, &Prompt::category);
  if (read.prompts.empty())
    throw ConfigError(fmt::format("{}: {} holds no prompts; allowed: at least one",
                                  key_of(table, "set"), escaped(read.path, kLongestPath)));
  check_ids(read);
  for (const Prompt& prompt : read.prompts)
    if (prompt.category == kPooled)
      throw ConfigError(fmt::format(
          "{}: prompt {} has the category \"{}\", which stands for every category together; "
          "allowed: another name",
          read.path, escaped(prompt.id), kPooled));
  return read;
}

std::vector<Prompt> selected_prompts(const PromptSet& set, const PromptSelection& selection) {
  std::vector<std::string> wanted =
      selection.categories.empty() ? categories_of(set) : selection.categories;
  std::ranges::sort(wanted);
  std::vector<Prompt> prompts;
  for (const std::string& category : wanted) {
    const auto all = std::ranges::equal_range(set.prompts, category, {}, &Prompt::category);
    const std::ptrdiff_t there = std::ranges::ssize(all);
    if (there == 0) refuse_unknown(category, set, selection);
    check_count(there, category, set, selection);
    const std::ptrdiff_t count = selection.per_category == 0
                                     ? there
                                     : std::min<std::ptrdiff_t>(selection.per_category, there);
    const auto first = selection.from_end ? all.end() - count : all.begin();
    prompts.insert(prompts.end(), first, first + count);
  }
  return prompts;
}

std::vector<Prompt> read_prompts(const PromptSelection& selection) {
  return selected_prompts(read_prompt_set(selection.set, selection.table), selection);
}

void check_no_shared_ids(const std::vector<Prompt>& prompts, const std::vector<Prompt>& pilots) {
  std::set<std::string> ids;
  for (const Prompt& prompt : prompts) ids.insert(prompt.id);
  for (const Prompt& pilot : pilots)
    if (ids.contains(pilot.id))
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

std::vector<Prompt> read_prompt_list(const PromptListOptions& options, const std::string& set,
                                     int per_category) {
  if (options.per_category.value_or(1) < 1)
    throw ConfigError(
        fmt::format("--prompts-per-category {}; allowed: integers >= 1", *options.per_category));
  const PromptSelection selection{.set = options.set.value_or(set),
                                  .per_category = options.per_category.value_or(per_category),
                                  .table = "--prompts",
                                  .takes_fewer = !options.per_category};
  const PromptSet read = read_prompt_set(selection.set, selection.table);
  if (const std::string note = read.note(); !note.empty())
    fmt::print(stderr, "speclab: {}\n", note);
  return selected_prompts(read, selection);
}

}  // namespace speclab::experiments
