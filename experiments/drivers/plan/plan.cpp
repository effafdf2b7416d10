#include "experiments/drivers/plan/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <set>

#include "engines/interface/engines.h"
#include "experiments/drivers/config/kinds.h"
#include "experiments/drivers/config/named_drafters.h"
#include "experiments/drivers/plan/plan_parts.h"
#include "sim/policies/policy_registry.h"
#include "sim/policies/simple_policies.h"
#include "sim/system/errors.h"
#include "sim/system/sha256.h"

namespace speclab::experiments {
namespace {

constexpr std::uint32_t
    kMeasuredSequences = 1u << 31,
    kPilotSequences =
        1u << 30;  ///< sequence ids from there on are such; they have the lower 30 bits

/// 30 bits that depend on the text alone.
std::uint32_t stable_number(const std::string& text) {
  return static_cast<std::uint32_t>(std::stoul(sha256_text(text).substr(0, 8), nullptr, 16)) &
         (kPilotSequences - 1);
}

/// "2 repetitions", "2 repetitions (8 of plain decoding)".
std::string repetitions_text(const RunConfig& config) {
  const std::string text = fmt::format("{} repetitions", config.repetitions);
  return config.repetitions_of_plain() > config.repetitions
             ? fmt::format("{} ({} of plain decoding)", text, config.plain_repetitions)
             : text;
}

bool is_measured(const Cell& cell, const Prompt& prompt) {
  return cell.category == "all" || cell.category == prompt.category;
}

std::int32_t repetitions_of(const Cell& cell, const RunConfig& config) {
  return cell.is_plain() ? config.repetitions_of_plain() : config.repetitions;
}

/// Generations of a plan, and the tables while they are made, are held in memory.
void check_size(const Plan& plan) {
  constexpr double kMost = 10'000'000;
  double rows = 0;
  for (const Cell& cell : plan.cells) rows += static_cast<double>(plan.num_generations(cell));
  if (rows > kMost)
    throw ConfigError(fmt::format(
        "{} cells, {} prompts and {} are {:.0f} generations; allowed: at most {:.0f}; split the "
        "experiment",
        plan.cells.size(), plan.prompts.size(), repetitions_text(plan.config), rows, kMost));
}

/// A batch has a prompt for each of its sequences.
void check_batches(const Plan& plan) {
  for (const Cell& cell : plan.cells) {
    const auto prompts = std::ranges::count_if(
        plan.prompts, [&](const Prompt& prompt) { return is_measured(cell, prompt); });
    if (cell.setting.batch > prompts)
      throw ConfigError(fmt::format(
          "axes.batch has {}, and a cell has {} prompts; allowed: batches of at most as many, or a "
          "larger prompts.per_category",
          cell.setting.batch, prompts));
  }
}

void add_generations(Plan& plan) {
  for (std::size_t cell = 0; cell < plan.cells.size(); ++cell)
    for (std::size_t prompt = 0; prompt < plan.prompts.size(); ++prompt) {
      if (!is_measured(plan.cells[cell], plan.prompts[prompt])) continue;
      for (std::int32_t repetition = 0; repetition < repetitions_of(plan.cells[cell], plan.config);
           ++repetition)
        plan.generations.push_back({cell, prompt, repetition});
    }
}

bool is_file_or_folder(const std::string& path) {
  std::error_code none;
  return std::filesystem::is_regular_file(path, none) || std::filesystem::is_directory(path, none);
}

}  // namespace

std::uint32_t Plan::sequence_id(const PlannedGeneration& generation) const {
  return kMeasuredSequences +
         stable_number(fmt::format("{}\n{}", prompts[generation.prompt].id, generation.repetition));
}

bool Plan::are_compared(const PlannedGeneration& a, const PlannedGeneration& b) const {
  const Cell &one = cells[a.cell], &other = cells[b.cell];
  return a.prompt == b.prompt && rival_repetition(a) == rival_repetition(b) &&
         one.setting.plain() == other.setting.plain();
}

/// Rows of a cell follow each other: prompt by prompt, each in its repetitions.
std::vector<std::size_t> Plan::batch_of(std::size_t row) const {
  const PlannedGeneration& own = generations[row];
  const auto batch = static_cast<std::size_t>(cells[own.cell].setting.batch);
  if (batch == 1) return {row};
  const auto repetitions = static_cast<std::size_t>(repetitions_of(cells[own.cell], config));
  const auto first = static_cast<std::size_t>(
      std::ranges::find(generations, own.cell, &PlannedGeneration::cell) - generations.begin());
  const auto prompts_of_cell =
      static_cast<std::size_t>(num_generations(cells[own.cell])) / repetitions;
  const std::size_t begin = (row - first) / repetitions / batch * batch;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < batch; ++i)
    rows.push_back(first + (begin + i) % prompts_of_cell * repetitions +
                   static_cast<std::size_t>(own.repetition));
  return rows;
}

std::int64_t Plan::num_generations(const Cell& cell) const {
  return std::ranges::count_if(prompts,
                               [&](const Prompt& prompt) { return is_measured(cell, prompt); }) *
         repetitions_of(cell, config);
}

std::uint32_t Plan::pilot_sequence_id(const Pilot& pilot) const {
  return kPilotSequences + stable_number(pilot_prompts[pilot.prompt].id);
}

int Plan::max_length() const {
  int longest = config.pilot.max_length;
  const ConstantPolicy any_auto(0);
  for (const std::string& policy : config.axes.policy)
    longest = std::max(longest, make_policy(policy, &any_auto)->longest().value_or(0));
  return longest;
}

Plan make_plan(const RunConfig& config) {
  Plan plan{.config = config};
  read_plan_prompts(plan);
  plan.drafters = all_drafters(config);
  add_cells(plan);
  add_pilots(plan);
  check_size(plan);
  check_batches(plan);
  add_generations(plan);
  plan.order = measuring_order(plan);
  return plan;
}

std::string describe(const Plan& plan) {
  const RunConfig& config = plan.config;
  std::string text = fmt::format("{} ({}): {} cells", config.name, config.kind, plan.cells.size());
  const ExperimentKind& kind = experiment_kind(config.kind);
  if (kind.looks_at_drafts() && !kind.is_by_prompt)
    text += fmt::format(": what every rule makes of their drafts over {} prompts\n",
                        plan.prompts.size());
  else if (kind.looks_at_drafts())
    text += fmt::format(": what they would keep at {} places each of {} prompts\n",
                        config.prompts.new_tokens, plan.prompts.size());
  else if (kind.yield == Yield::generations)
    text += fmt::format(", {} prompts, {}: {} generations of {} tokens after {} pilots\n",
                        plan.prompts.size(), repetitions_text(config), plan.generations.size(),
                        config.prompts.new_tokens, plan.pilots.size());
  else
    text +=
        fmt::format(": what their forwards, drafts and rounds cost, {} passes; no generations\n",
                    config.costs.repetitions);
  for (const Cell& cell : plan.cells) text += fmt::format("  {}\n", cell.id);
  text += prompts_text(plan);
  const std::string note = tree_axis_note(plan);
  return note.empty() ? text : text + note + "\n";
}

std::string tree_axis_note(const Plan& plan) {
  const std::vector<std::string>& trees = plan.config.axes.tree;
  if (trees == std::vector<std::string>{"chain"}) return "";
  std::vector<std::string> others;
  for (const NamedDrafter& drafter : all_drafters(plan.config)) {
    const bool is_used =
        drafter.name != "none" &&
        std::ranges::find(plan.config.axes.drafter, drafter.name) != plan.config.axes.drafter.end();
    if (is_used && !follows_tree_axis(drafter))
      others.push_back(fmt::format("{} ({})", drafter.name, drafter.options.tree));
  }
  return others.empty() ? ""
                        : fmt::format(
                              "axes.tree = {} does not hold for drafters that draft chains or have "
                              "a tree of their own: {}",
                              fmt::join(trees, ", "), fmt::join(others, ", "));
}

void check_model_names(const Plan& plan, std::span<const engines::KnownModel> known) {
  std::set<std::string> missing;
  const auto check = [&](const std::string& key, const std::string& model) {
    if (model.empty() || is_widened_model(model) ||
        std::ranges::find(known, model, &engines::KnownModel::name) != known.end() ||
        is_file_or_folder(model))
      return;
    missing.insert(fmt::format("{} = '{}'", key, escaped(model)));
  };
  for (const std::string& model : plan.config.axes.model)
    check("target.model", plan.config.file_of(model));
  for (const NamedDrafter& drafter : plan.config.drafters)
    check("drafters." + drafter.name + ".model", drafter.options.model);
  if (missing.empty()) return;
  throw ConfigError(fmt::format(
      "{}: neither a known model nor a file or folder, and models are not fetched; allowed: {}, a "
      "GGUF file, a checkpoint folder; a path in a config is relative to the config, one in --set "
      "to where you stand",
      fmt::join(missing, ", "),
      fmt::join(known | std::views::transform(&engines::KnownModel::name), ", ")));
}

}  // namespace speclab::experiments
