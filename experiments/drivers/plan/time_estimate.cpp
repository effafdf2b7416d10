#include "experiments/drivers/plan/time_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "analysis/tables/manifest.h"
#include "analysis/tables/run_folder.h"
#include "analysis/tables/table.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

bool has_file(const std::string& folder, const char* file) {
  std::error_code none;
  return std::filesystem::exists(folder + "/" + file, none);
}

using ModelAndDrafter = std::pair<std::string, std::string>;

struct Pace {
  double ns = 0, tokens = 0;
};

/// Paces by cell, by model and drafter, by model.
class Paces {
 public:
  /// From the rows of a run, or from its cells if it has no rows, as committed runs.
  explicit Paces(const std::string& folder) {
    if (has_file(folder, "rows.csv") || !has_file(folder, "cells.csv"))
      add_rows(analysis::read_run(folder));
    else
      add_cells(folder);
  }

  /// Nanoseconds a token; nothing where the model is not known.
  std::optional<double> ns_per_token(const std::string& cell_id, const std::string& model,
                                     const std::string& drafter) const {
    for (const std::string& key : {"cell " + cell_id, pair(model, drafter), "model " + model})
      if (const auto pace = paces_.find(key); pace != paces_.end() && pace->second.tokens > 0)
        return pace->second.ns / pace->second.tokens;
    return std::nullopt;
  }

 private:
  static std::string pair(const std::string& model, const std::string& drafter) {
    return "pair " + model + "\n" + drafter;
  }

  void add(const std::string& cell_id, const ModelAndDrafter& what, const Pace& pace) {
    const auto& [model, drafter] = what;
    for (const std::string& key : {"cell " + cell_id, pair(model, drafter), "model " + model})
      paces_[key].ns += pace.ns, paces_[key].tokens += pace.tokens;
  }

  void add_rows(const analysis::Run& run) {
    for (const analysis::Generation& generation : run.generations)
      add(generation.cell_id, {generation.axes.model, generation.axes.drafter},
          {.ns = static_cast<double>(generation.walltime_ns()),
           .tokens = static_cast<double>(generation.output_tokens)});
  }

  /// A generation counts as long as its config allowed: cells do not say who stopped earlier.
  void add_cells(const std::string& folder) {
    const double new_tokens = read_run_config(folder + "/manifest.toml", {}).prompts.new_tokens;
    const analysis::Table cells = analysis::Table::read(folder + "/cells.csv");
    for (std::size_t row = 0; row < cells.size(); ++row) {
      const double generations = cells.number(row, "n_rows");
      add(cells.text(row, "cell_id"), {cells.text(row, "model"), cells.text(row, "drafter")},
          {.ns = cells.number(row, "walltime_ns") * generations,
           .tokens = new_tokens * generations});
    }
  }

  std::map<std::string, Pace> paces_;
};

std::string rough_duration(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  return seconds < 7200 ? fmt::format("{:.0f} min", seconds / 60)
                        : fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

namespace {

/// Nothing if the folder is broken: the command that runs in it says so.
std::optional<TimeEstimate> estimate_if_readable(const Plan& plan, const std::string& folder) try {
  return estimate_time(plan, folder);
} catch (const DataError&) {
  return std::nullopt;
} catch (const ConfigError&) {
  return std::nullopt;
}

std::set<ModelAndDrafter> pairs_of(const Plan& plan) {
  std::set<ModelAndDrafter> pairs;
  for (const Cell& cell : plan.cells) pairs.emplace(cell.setting.model, cell.setting.drafter);
  return pairs;
}

/// Cells of the plan that a committed run has measured. Nothing if it lacks a model or drafter, or
/// ran on another device than the config names; `auto` takes the runs of processors.
std::optional<std::size_t> shared_cells(const Plan& plan, const std::string& folder) {
  const std::string& named = plan.config.target.device;
  if (analysis::read_manifest(folder + "/manifest.toml").provenance("device") !=
      (named == "auto" ? "cpu" : named))
    return std::nullopt;
  const analysis::Table rows =
      analysis::Table::read(folder + (has_file(folder, "rows.csv") ? "/rows.csv" : "/cells.csv"));
  std::set<ModelAndDrafter> pairs;
  std::set<std::string> cells;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    pairs.emplace(rows.text(row, "model"), rows.text(row, "drafter"));
    cells.insert(rows.text(row, "cell_id"));
  }
  if (!std::ranges::includes(pairs, pairs_of(plan))) return std::nullopt;
  return static_cast<std::size_t>(
      std::ranges::count_if(plan.cells, [&](const Cell& cell) { return cells.contains(cell.id); }));
}

/// A folder that is broken is none to take a pace from.
std::optional<std::size_t> shared_cells_if_readable(const Plan& plan,
                                                    const std::string& folder) try {
  return shared_cells(plan, folder);
} catch (const DataError&) {
  return std::nullopt;
}

/// Folders of measured generations beneath `parent`, by name; runs of one question share a folder.
std::vector<std::string> run_folders(const std::string& parent) {
  std::vector<std::string> folders;
  std::error_code none;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(parent, none)) {
    const std::string folder = entry.path().parent_path().string();
    if (entry.path().filename() == "manifest.toml" &&
        (has_file(folder, "rows.csv") || has_file(folder, "cells.csv")))
      folders.push_back(folder);
  }
  std::ranges::sort(folders);
  return folders;
}

/// Empty where there is none.
std::string best_reference(const Plan& plan, const std::string& references) {
  std::string best;
  std::size_t most = 0;
  for (const std::string& folder : run_folders(references))
    if (const auto shared = shared_cells_if_readable(plan, folder);
        shared && (best.empty() || *shared > most))
      best = folder, most = *shared;
  return best;
}

std::string machine_of(const std::string& folder) {
  const analysis::Manifest manifest = analysis::read_manifest(folder + "/manifest.toml");
  return fmt::format(", a run on {} ({} threads, {})", escaped(manifest.provenance("machine"), 80),
                     manifest.provenance("threads"), manifest.provenance("dtype"));
}

}  // namespace

TimeEstimate estimate_time(const Plan& plan, const std::string& folder) {
  const Paces paces(folder);
  TimeEstimate estimate;
  std::vector<double> ns_of_cell;
  const double tokens = plan.config.prompts.new_tokens;
  for (const Cell& cell : plan.cells) {
    const auto pace = paces.ns_per_token(cell.id, cell.setting.model, cell.setting.drafter);
    estimate.unknown_cells += pace ? 0 : 1;
    ns_of_cell.push_back(pace.value_or(0) * tokens);
  }
  double ns = 0;
  for (const PlannedGeneration& generation : plan.generations) ns += ns_of_cell[generation.cell];
  for (const Pilot& pilot : plan.pilots)
    ns += paces.ns_per_token("", pilot.setting.model, pilot.setting.drafter).value_or(0) * tokens;
  estimate.seconds = ns * 1e-9;
  return estimate;
}

std::optional<SourcedEstimate> find_estimate(const Plan& plan, const PaceSources& sources) {
  if (!sources.times_from.empty())
    return SourcedEstimate{estimate_time(plan, sources.times_from), sources.times_from};
  if (has_file(sources.run_folder, "rows.csv"))
    if (const auto own = estimate_if_readable(plan, sources.run_folder);
        own && own->unknown_cells < plan.cells.size())
      return SourcedEstimate{*own, sources.run_folder + ", as far as it was measured"};
  if (const std::string reference = best_reference(plan, sources.references); !reference.empty())
    if (const auto estimate = estimate_if_readable(plan, reference))
      return SourcedEstimate{*estimate, reference + machine_of(reference)};
  return std::nullopt;
}

std::string time_estimate_text(const std::optional<SourcedEstimate>& sourced) {
  if (!sourced)
    return "time: not known; --times-from RUN estimates it from an earlier run's folder\n";
  const TimeEstimate& estimate = sourced->estimate;
  const std::string unknown =
      estimate.unknown_cells == 0
          ? ""
          : fmt::format("; not known for {} cells, whose models it did not measure",
                        estimate.unknown_cells);
  return fmt::format(
      "time: about {} of generations and pilots at the pace of {}, besides loading and the cost "
      "surface{}\n",
      rough_duration(estimate.seconds), sourced->source, unknown);
}

}  // namespace speclab::experiments
