#pragma once
#include <optional>
#include <string>
#include <vector>

namespace speclab::experiments {

struct Prompt {
  std::string id;
  std::string category;
  std::string text;  ///< the user's message, before any chat template
};

/// All prompts of a set, by category in alphabetical order, then as in the files.
struct PromptSet {
  std::string path;  ///< its folder or file
  std::vector<Prompt> prompts{};
  int num_left_out = 0;  ///< conversations that no human opens
  int num_cut = 0;       ///< prompts of several turns, of which the first is taken

  /// One line on what was left out of the files; empty if nothing was.
  std::string note() const;
};

/// The choice of prompts from a set.
struct PromptSelection {
  std::string set{};  ///< of experiments/prompts, or the path of a folder or file
  std::vector<std::string> categories{};  ///< empty: all
  int per_category = 1;                   ///< the first so many of each; 0: all
  const char* table = "prompts";          ///< of the config, for messages, or "--prompts"
  int held_out = 0;          ///< so many at the end of each category are another selection's
  bool from_end = false;     ///< the last ones of each category, not the first
  bool takes_fewer = false;  ///< where a category has no more
};

/// The folder or file of a set, in one spelling, so that equal sets are equal strings.
std::string prompt_set_path(const std::string& set);

/// Whether the set is one of experiments/prompts, which come with pilots.
bool is_project_set(const std::string& set);

/// Reads a folder's files CATEGORY.toml, and JSONL and JSON files, or a single file of these kinds.
/// Hidden files are skipped.
/// @param table  as of a selection
/// @throws ConfigError if there is no such set, a file is damaged or an id occurs twice
PromptSet read_prompt_set(const std::string& set, const char* table);

/// @throws ConfigError if the set lacks a category, or prompts in one
std::vector<Prompt> selected_prompts(const PromptSet& set, const PromptSelection& selection);

/// Both in one.
std::vector<Prompt> read_prompts(const PromptSelection& selection);

/// @throws ConfigError if both have a prompt of the same id: pilots are never measured
void check_no_shared_ids(const std::vector<Prompt>& prompts, const std::vector<Prompt>& pilots);

/// SHA-256 over ids, categories and texts, in order.
std::string prompts_digest(const std::vector<Prompt>& prompts);

/// The options --prompts and --prompts-per-category of a command.
struct PromptListOptions {
  std::optional<std::string> set;   ///< a set of experiments/prompts, or a path
  std::optional<int> per_category;  ///< the first so many of each category
};

/// The prompts that a command was given. What is left out of their files is said on standard error.
/// @param set           that holds if none is given
/// @param per_category  that holds if no number is given, where a category has so many; 0: all
/// @throws ConfigError as of a prompt set
std::vector<Prompt> read_prompt_list(const PromptListOptions& options,
                                     const std::string& set = "core", int per_category = 0);

}  // namespace speclab::experiments
