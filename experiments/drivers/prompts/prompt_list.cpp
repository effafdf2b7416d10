#include "experiments/drivers/prompts/prompt_list.h"

#include <fmt/format.h>

#include <cstdio>

#include "sim/system/errors.h"

namespace speclab::experiments {

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
