#pragma once
#include <string>
#include <vector>

namespace speclab::experiments {

struct Prompt {
  std::string id;
  std::string category;
  std::string text;  ///< the user's message, before any chat template
};

struct PromptSelection {
  std::string set;  ///< a folder of experiments/prompts, or a path with a slash
  std::vector<std::string> categories{};  ///< empty: all
  int per_category = 1;                   ///< the first so many of each
  const char* table = "prompts";          ///< of the config, for messages
};

/// The folder of a set, in one spelling, so that equal folders are equal strings.
std::string prompt_folder(const std::string& set);

/// Prompts by category, in alphabetical order, then as in the file.
/// @throws ConfigError if the set, a category or enough prompts are missing, an id occurs twice, or
/// a file is not named
///         as its category
std::vector<Prompt> read_prompts(const PromptSelection& selection);

/// @throws ConfigError if both have a prompt of the same id: pilots are never measured
void check_no_shared_ids(const std::vector<Prompt>& prompts, const std::vector<Prompt>& pilots);

/// SHA-256 over ids, categories and texts, in order.
std::string prompts_digest(const std::vector<Prompt>& prompts);

}  // namespace speclab::experiments
