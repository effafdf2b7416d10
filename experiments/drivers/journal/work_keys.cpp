#include "experiments/drivers/journal/work_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "experiments/drivers/config/named_drafters.h"
#include "sim/system/errors.h"
#include "sim/system/sha256.h"

namespace speclab::experiments {
namespace {

std::string short_digest(const std::string& text) { return sha256_text(text).substr(0, 16); }

/// Earlier revisions digested a key target.arithmetic too, which changed nothing and is no key any
/// more. Its line stays in the text, because their journals know their work by these digests.
std::string digested_text(const RunConfig& config) {
  std::string text = to_toml(config);
  const std::size_t next_key = text.find("\nkernels = ");
  SPECLAB_EXPECT(next_key != std::string::npos, "a config says which kernels run");
  return text.insert(next_key + 1, "arithmetic = \"fast\"\n");
}

/// The config with one point in the place of its axes and without what decides on which work there
/// is but not on what it does, nor what it runs on. A key that is added to the schema one day is in
/// it.
RunConfig config_of_point(const Plan& plan, const Setting& point) {
  const RunConfig defaults;
  RunConfig own = with_names_for_paths(plan.config);
  own.name = defaults.name;
  own.repetitions = defaults.repetitions;
  own.plain_repetitions = defaults.plain_repetitions;
  own.model_files = {point.model};
  own.target = defaults.target;
  own.drafters = drafters_needed(own, {point.drafter});
  own.axes = {.model = {point.model},
              .temperature = {point.temperature},
              .drafter = {point.drafter},
              .tree = {point.tree},
              .policy = {},
              .verifier = {point.verifier},
              .weights = {point.weights},
              .activations = {point.activations},
              .batch = {point.batch},
              .generation = {point.generation}};
  own.zips.clear();
  own.exclusions.clear();
  own.prompts.set = defaults.prompts.set;
  own.prompts.categories.clear();
  own.prompts.per_category = defaults.prompts.per_category;
  own.prompts.pool_categories = defaults.prompts.pool_categories;
  own.pilot = defaults.pilot;
  own.costs = defaults.costs;
  return own;
}

std::string pilot_key(const Plan& plan, const Pilot& pilot) {
  const std::string& policy = pilot.setting.policy;
  return short_digest(fmt::format("{}{}{}\n{}", digested_text(config_of_point(plan, pilot.setting)),
                                  policy.empty() ? "" : policy + "\n",
                                  pilot_length(plan, pilot.setting),
                                  prompts_digest({plan.pilot_prompts[pilot.prompt]})));
}

/// Texts of cells by category, which `auto` and replayed acceptance know their pilots by.
class CellTexts {
 public:
  CellTexts(const Plan& plan, const std::vector<std::string>& pilot_keys) : plan_(plan) {
    for (std::size_t i = 0; i < plan.pilots.size(); ++i)
      if (plan.pilots[i].setting.policy.empty())
        pilots_[{plan.pilots[i].setting, category_of(i)}] += pilot_keys[i] + "\n";
  }

  /// @param category  of the prompt
  std::string text(const Cell& cell, const std::string& category) const {
    const Setting setting = cell.written();
    RunConfig own = config_of_point(plan_, cell.setting);
    own.axes.policy = {setting.policy};
    if (setting.policy == "auto") own.costs = plan_.config.costs;
    std::string text = digested_text(own) + setting.verifier + "\n";
    if (setting.policy != "auto" && !cell.is_replayed()) return text;
    const auto found = pilots_.find({replayed_setting(plan_, cell.setting), category});
    return text + fmt::format("{}\n", plan_.max_length()) +
           (found == pilots_.end() ? "" : found->second);
  }

 private:
  const std::string& category_of(std::size_t pilot) const {
    return plan_.pilot_prompts[plan_.pilots[pilot].prompt].category;
  }

  const Plan& plan_;
  std::map<std::pair<Setting, std::string>, std::string> pilots_;  ///< by category too
};

/// The rows of a selection in order, so that equal tables are equal whatever order they are written
/// in.
AxisSelection with_sorted_rows(const AxisSelection& zip) {
  std::vector<std::vector<std::string>> rows(zip.begin()->second.size());
  for (const auto& [axis, values] : zip)
    for (std::size_t row = 0; row < rows.size(); ++row) rows[row].push_back(values[row]);
  std::ranges::sort(rows);
  AxisSelection sorted = zip;
  std::size_t column = 0;
  for (auto& [axis, values] : sorted) {
    for (std::size_t row = 0; row < rows.size(); ++row) values[row] = rows[row][column];
    ++column;
  }
  return sorted;
}

/// One config for all that ask for the same work, wherever models and prompts lie.
RunConfig canonical(const RunConfig& asked) {
  RunConfig config = with_names_for_paths(asked);
  const RunConfig defaults;
  config.name = defaults.name;
  config.prompts.set = defaults.prompts.set;
  config.pilot.set = defaults.pilot.set;
  for_each_axis([&](const char*, auto values, auto) { std::ranges::sort(config.axes.*values); });
  std::ranges::sort(config.prompts.categories);
  config.model_files = config.axes.model;
  config.drafters = drafters_needed(config, config.axes.drafter);
  std::ranges::sort(config.drafters, {}, &NamedDrafter::name);
  for (AxisSelection& zip : config.zips) zip = with_sorted_rows(zip);
  for (AxisSelection& exclusion : config.exclusions)
    for (auto& [axis, values] : exclusion) std::ranges::sort(values);
  std::ranges::sort(config.zips);
  std::ranges::sort(config.exclusions);
  return config;
}

}  // namespace

void WorkKeys::Index::add(std::string key) {
  places.emplace(key, keys.size());
  keys.push_back(std::move(key));
}

std::optional<std::size_t> WorkKeys::Index::place(const std::string& key) const {
  const auto found = places.find(key);
  return found == places.end() ? std::nullopt : std::optional(found->second);
}

std::string plan_digest(const Plan& plan) {
  return short_digest(digested_text(canonical(plan.config)) + prompts_digest(plan.prompts) +
                      prompts_digest(plan.pilot_prompts));
}

WorkKeys::WorkKeys(const Plan& plan) {
  for (const Pilot& pilot : plan.pilots) pilots_.add(pilot_key(plan, pilot));
  for (const Cell& cell : plan.cells) cells_.add(cell.id);
  const CellTexts texts(plan, pilots_.keys);
  std::vector<std::string> prompts;
  for (const Prompt& prompt : plan.prompts) {
    prompts_.add(prompt.id);
    prompts.push_back(prompts_digest({prompt}).substr(0, 16));
  }
  std::map<std::pair<std::size_t, std::string>, std::string> cells;  // by cell and category
  for (const PlannedGeneration& generation : plan.generations) {
    const std::string& category = plan.prompts[generation.prompt].category;
    std::string& cell = cells[{generation.cell, category}];
    if (cell.empty()) cell = short_digest(texts.text(plan.cells[generation.cell], category));
    rows_.add(fmt::format("{}-{}-{}", cell, prompts[generation.prompt], generation.repetition));
  }
  SPECLAB_EXPECT(rows_.places.size() == rows_.keys.size(),
                 "two generations of a plan do the same work");
}

}  // namespace speclab::experiments
