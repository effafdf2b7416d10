#pragma once
#include <optional>
#include <string>
#include <vector>

#include "experiments/drivers/prompts/prompt_set.h"

namespace speclab::experiments {

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
