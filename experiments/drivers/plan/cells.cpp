#include "experiments/drivers/plan/plan_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <set>

#include "analysis/tables/axes.h"
#include "engines/interface/names.h"
#include "engines/interface/sampling_rows.h"
#include "experiments/drivers/config/named_drafters.h"
#include "experiments/drivers/plan/plan.h"
#include "sim/core/tree_growth.h"
#include "sim/policies/policy_registry.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

TreeGrowth growth_of(const Setting& setting, int limit) {
  return TreeGrowth::parse(setting.tree, limit);
}

/// Plain decoding, then every drafter with every tree that it can draw and every verifier.
std::vector<Setting> make_draftings(const Plan& plan) {
  const Axes& axes = plan.config.axes;
  std::vector<Setting> draftings{{.drafter = "none"}};
  for (const std::string& name : axes.drafter) {
    if (name == "none") continue;
    const NamedDrafter& drafter = *std::ranges::find(plan.drafters, name, &NamedDrafter::name);
    const std::vector<std::string> trees =
        follows_tree_axis(drafter) ? axes.tree : std::vector{drafter.options.tree};
    for (const std::string& tree : trees)
      for (const std::string& verifier : axes.verifier)
        draftings.push_back({.drafter = name, .tree = tree, .verifier = verifier});
  }
  return draftings;
}

/// A drafting at one point of the other axes, with the sampling settings of the config.
Setting setting_of(const Setting& drafting, const RunConfig& config, const Setting& plain) {
  Setting setting = config.sampling.in(plain);
  setting.temperature = plain.temperature;
  setting.drafter = drafting.drafter;
  setting.tree = drafting.tree;
  setting.verifier = drafting.verifier;
  return setting;
}

/// Settings that are off are left out.
std::string suffix_of(const Setting& setting, const engines::SamplingOptions& sampling) {
  std::string suffix;
  engines::visit_sampling_that_is_on(sampling, [&](const char* name, const auto& value) {
    suffix += fmt::format(" {}={}", name, value);
  });
  if (setting.batch != 1) suffix += fmt::format(" batch={}", setting.batch);
  return setting.generation.empty() ? suffix : suffix + " " + setting.generation;
}

std::string cell_id(const Cell& cell, const RunConfig& config) {
  const Setting setting = cell.written();
  std::string id =
      fmt::format("{} T={} {}", setting.loaded_model(), setting.temperature, setting.drafter);
  if (!cell.is_plain())
    id += fmt::format(" {} {} {}", setting.tree, setting.policy, setting.verifier);
  id += suffix_of(setting, config.sampling);
  return cell.category == "all" ? id : id + " " + cell.category;
}

void add_cell(Plan& plan, Cell cell) {
  const std::vector<std::string> categories = plan.config.prompts.pool_categories
                                                  ? std::vector<std::string>{"all"}
                                                  : categories_of(plan.prompts);
  for (const std::string& category : categories) {
    cell.category = category;
    cell.id = cell_id(cell, plan.config);
    plan.cells.push_back(cell);
  }
}

void add_cells_of(Plan& plan, const Sweep& sweep, const Setting& plain) {
  for (const Setting& drafting : plan.draftings) {
    const std::vector<std::string> policies =
        drafting.is_plain() ? std::vector<std::string>{""} : plan.config.axes.policy;
    Setting setting = setting_of(drafting, plan.config, plain);
    for (const std::string& policy : policies) {
      setting.policy = policy;
      if (sweep.holds(sweep.point(setting))) add_cell(plan, {"", "", setting});
    }
  }
}

/// Whether pilots of other policies cannot tell of its drafts: it ends chains by confidence,
/// follows the acceptance of each text, counts the nodes of an adaptive tree, or is searched. The
/// lengths of all other policies cut what pilots of the greatest length show.
bool needs_own_pilots(const Setting& setting) {
  if (!setting.generation.empty()) return true;
  if (setting.is_plain() || setting.policy == "auto") return false;
  const bool looks_at_the_text =
      make_policy(setting.policy)->stop_below() > 0.0 || setting.policy.starts_with("tracking");
  return looks_at_the_text || has_adaptive_tree(setting);
}

/// The settings of pilots: all draftings where shape models replay them, else those of cells.
std::set<Setting> pilot_settings(const Plan& plan) {
  std::set<Setting> settings;
  for (const Setting& plain : plan.config.axes.plain_settings())
    for (const Setting& drafting : plan.draftings)
      if (is_shape_model(plain.model))
        settings.insert(replayed_setting(plan, setting_of(drafting, plan.config, plain)));
  for (const Cell& cell : plan.cells) settings.insert(pilot_setting(plan, cell));
  return settings;
}

/// Drops the draftings of no cell, which are not measured.
void drop_unused_draftings(Plan& plan) {
  std::erase_if(plan.draftings, [&](const Setting& drafting) {
    const auto is_its_cell = [&](const Cell& cell) { return cell.setting.drafting() == drafting; };
    return !drafting.is_plain() && std::ranges::none_of(plan.cells, is_its_cell);
  });
}

/// The models of the plan's cells as they are loaded, in the order of the axes.
std::vector<Setting> models_of_cells(const Plan& plan) {
  std::set<std::string> of_cells;
  for (const Cell& cell : plan.cells) of_cells.insert(cell.setting.loaded_model());
  std::vector<Setting> models;
  for (const Setting& plain : plan.config.axes.plain_settings())
    if (of_cells.erase(plain.loaded_model()) > 0)
      models.push_back(
          {.model = plain.model, .weights = plain.weights, .activations = plain.activations});
  return models;
}

}  // namespace

analysis::ColumnGroups axis_columns(const Plan& plan) {
  return analysis::axis_groups(plan.cells | std::views::transform(&Cell::setting));
}

Setting Cell::written() const {
  Setting written = setting;
  if (is_replayed()) written.verifier = "replay";
  return written;
}

int max_length(const Setting& setting, int limit) {
  if (setting.is_plain()) return 0;
  return std::min(limit, growth_of(setting, limit).max_depth());
}

std::vector<int> rows_of_depth(const Setting& setting, int limit) {
  std::vector<int> rows(static_cast<std::size_t>(max_length(setting, limit)) + 1, 1);
  if (setting.is_plain()) return rows;
  const TreeGrowth growth = growth_of(setting, limit);
  for (std::size_t depth = 1; depth < rows.size(); ++depth)
    rows[depth] += growth.nodes_to_depth(static_cast<int>(depth));
  return rows;
}

bool has_adaptive_tree(const Setting& setting) {
  return !setting.is_plain() && growth_of(setting, 1).is_adaptive;
}

Setting pilot_setting(const Plan& plan, const Cell& cell) {
  Setting setting = cell.setting;
  setting.model = plan.real_model_of(setting.model);
  setting.batch = 1;
  if (!needs_own_pilots(setting)) setting.policy = "";
  return setting;
}

Setting replayed_setting(const Plan& plan, Setting setting) {
  setting.model = plan.real_model_of(setting.model);
  setting.batch = 1;
  setting.policy = "";
  return setting;
}

bool is_lossy(const Cell& cell) {
  return !cell.is_plain() && !cell.is_replayed() &&
         !engines::is_lossless(cell.setting.verifier, cell.setting.temperature);
}

engines::DrafterOptions Plan::drafter_options(const Setting& setting) const {
  if (setting.is_plain()) return {.kind = "plain"};
  const auto drafter = std::ranges::find(drafters, setting.drafter, &NamedDrafter::name);
  SPECLAB_EXPECT(drafter != drafters.end(), "no drafter " + setting.drafter + " in the plan");
  engines::DrafterOptions options = drafter->options;
  options.tree = setting.tree;
  return options;
}

std::vector<Setting> Plan::draftings_of(const Setting& loaded) const {
  std::vector<Setting> all;
  for (Setting plain : config.axes.plain_settings()) {
    plain.temperature = 0;
    if (plain.loaded_model() != loaded.loaded_model()) continue;
    for (const Setting& drafting : draftings) {
      const Setting setting = setting_of(drafting, config, plain);
      const auto is_its_cell = [&](const Cell& cell) {
        const bool is_drafted = drafting.is_plain() || cell.setting.drafting() == drafting;
        return is_drafted && real_model_of(cell.setting.model) == real_model_of(setting.model) &&
               cell.setting.batch == setting.batch && cell.setting.generation == setting.generation;
      };
      if (std::ranges::find(all, setting) == all.end() && std::ranges::any_of(cells, is_its_cell))
        all.push_back(setting);
    }
  }
  return all;
}

const std::string& Plan::real_model_of(const std::string& model) const {
  return is_shape_model(model) ? *std::ranges::find_if_not(config.axes.model, is_shape_model)
                               : model;
}

int pilot_length(const Plan& plan, const Setting& setting) {
  return std::min(max_length(setting, plan.max_length()), plan.config.prompts.new_tokens - 1);
}

void add_pilots(Plan& plan) {
  std::set<Setting> settings = pilot_settings(plan);
  std::set<std::string> policies{""};
  for (const Cell& cell : plan.cells) policies.insert(pilot_setting(plan, cell).policy);
  for (const Setting& plain : plan.config.axes.plain_settings())
    for (const Setting& drafting : plan.draftings)
      for (const std::string& policy : policies) {
        Setting setting = setting_of(drafting, plan.config, plain);
        setting.policy = policy;
        setting.batch = 1;
        const bool is_used =
            setting.has_rounds() && !is_shape_model(setting.model) && settings.erase(setting) > 0;
        for (std::size_t prompt = 0; prompt < plan.pilot_prompts.size() && is_used; ++prompt)
          plan.pilots.push_back({setting, prompt});
      }
}

void add_cells(Plan& plan) {
  plan.draftings = make_draftings(plan);
  const Sweep sweep(plan.config);
  for (const Setting& plain : plan.config.axes.plain_settings()) add_cells_of(plan, sweep, plain);
  plan.loaded_models = models_of_cells(plan);
  drop_unused_draftings(plan);
}

}  // namespace speclab::experiments
