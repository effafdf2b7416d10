#include "experiments/drivers/plan/plan_parts.h"

#include <fmt/format.h>

#include <set>

namespace speclab::experiments {

void read_plan_prompts(Plan& plan) {
  const RunConfig& config = plan.config;
  const PromptSet set = read_prompt_set(config.prompts.set, "prompts");
  const bool holds_out = prompt_set_path(config.pilot.set) == set.path;
  plan.num_prompts_in_set = set.prompts.size();
  plan.prompt_note = set.note();
  plan.prompts = selected_prompts(set, {.set = config.prompts.set,
                                        .categories = config.prompts.categories,
                                        .per_category = config.prompts.per_category,
                                        .held_out = holds_out ? config.pilot.per_category : 0});
  const PromptSelection pilots{.set = config.pilot.set,
                               .categories = categories_of(plan.prompts),
                               .per_category = config.pilot.per_category,
                               .table = "pilot",
                               .from_end = holds_out};
  plan.pilot_prompts = holds_out ? selected_prompts(set, pilots) : read_prompts(pilots);
  check_no_shared_ids(plan.prompts, plan.pilot_prompts);
}

std::vector<std::string> categories_of(const std::vector<Prompt>& prompts) {
  std::set<std::string> categories;
  for (const Prompt& prompt : prompts) categories.insert(prompt.category);
  return {categories.begin(), categories.end()};
}

std::string selection_note(const Plan& plan) {
  const std::size_t measured = plan.prompts.size();
  if (is_project_set(plan.config.prompts.set) || measured == plan.num_prompts_in_set) return "";
  return fmt::format(
      "{} of {} prompts are measured, the first {} of each category; "
      "prompts.per_category sets the number",
      measured, plan.num_prompts_in_set, plan.config.prompts.per_category);
}

std::string prompts_text(const Plan& plan) {
  const RunConfig& config = plan.config;
  if (is_project_set(config.prompts.set)) return "";
  const bool holds_out = prompt_set_path(config.pilot.set) == prompt_set_path(config.prompts.set);
  std::string text = fmt::format(
      "prompts: the first {} of each category, {} of {} in {}\npilots: {}\n",
      config.prompts.per_category, plan.prompts.size(), plan.num_prompts_in_set, config.prompts.set,
      holds_out ? fmt::format("the last {} of each category, held out", config.pilot.per_category)
                : config.pilot.set);
  return plan.prompt_note.empty() ? text : text + plan.prompt_note + "\n";
}

}  // namespace speclab::experiments
