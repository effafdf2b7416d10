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
  std::string set;                      ///< a folder of experiments/prompts, or a path with a slash
  std::vector<std::string> categories{};  ///< empty: all
  int per_category = 1;                 ///< the first so many of each
};

/// Prompts by category, in alphabetical order, then as in the file.
/// @throws ConfigError if the set, a category or enough prompts are missing, or an id occurs twice
std::vector<Prompt> read_prompts(const PromptSelection& selection);

/// SHA-256 over ids, categories and texts, in order.
std::string prompts_digest(const std::vector<Prompt>& prompts);

}  // namespace speclab::experiments
