#include "experiments/drivers/plan/time_estimate.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "analysis/io/run_folder.h"

namespace speclab::experiments {
namespace {

struct Pace {
  double ns = 0, tokens = 0;
  void add(const analysis::Generation& generation) {
    ns += static_cast<double>(generation.walltime_ns());
    tokens += static_cast<double>(generation.output_tokens);
  }
};

/// Paces by cell, by model and drafter, by model.
class Paces {
 public:
  explicit Paces(const analysis::Run& run) {
    for (const analysis::Generation& generation : run.generations)
      for (const std::string& key : {"cell " + generation.cell_id, pair(generation.axes.model, generation.axes.drafter), "model " + generation.axes.model}) paces_[key].add(generation);
  }

  /// Nanoseconds a token; nothing where the model is not known.
  std::optional<double> ns_per_token(const std::string& cell_id, const std::string& model, const std::string& drafter) const {
    for (const std::string& key : {"cell " + cell_id, pair(model, drafter), "model " + model})
      if (const auto pace = paces_.find(key); pace != paces_.end() && pace->second.tokens > 0) return pace->second.ns / pace->second.tokens;
    return std::nullopt;
  }

 private:
  static std::string pair(const std::string& model, const std::string& drafter) { return "pair " + model + "\n" + drafter; }
  std::map<std::string, Pace> paces_;
};

std::string rough_duration(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  return seconds < 7200 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

TimeEstimate estimate_time(const Plan& plan, const std::string& folder) {
  const Paces paces(analysis::read_run(folder));
  TimeEstimate estimate;
  std::vector<double> ns_of_cell;
  const double tokens = plan.config.prompts.new_tokens;
  for (const Cell& cell : plan.cells) {
    const auto pace = paces.ns_per_token(cell.id, cell.model, cell.drafting.drafter);
    estimate.unknown_cells += pace ? 0 : 1;
    ns_of_cell.push_back(pace.value_or(0) * tokens);
  }
  double ns = 0;
  for (const PlannedGeneration& generation : plan.generations) ns += ns_of_cell[generation.cell];
  for (const Pilot& pilot : plan.pilots) ns += paces.ns_per_token("", pilot.model, pilot.drafting.drafter).value_or(0) * tokens;
  estimate.seconds = ns * 1e-9;
  return estimate;
}

std::string time_estimate_text(const Plan& plan, const std::string& folder) {
  if (folder.empty()) return "time: not known; --times-from RUN estimates it from an earlier run's folder\n";
  const TimeEstimate estimate = estimate_time(plan, folder);
  const std::string unknown = estimate.unknown_cells == 0 ? "" : fmt::format("; not known for {} cells, whose models it did not measure", estimate.unknown_cells);
  return fmt::format("time: about {} of generations and pilots at the pace of {}, besides loading and the cost surface{}\n", rough_duration(estimate.seconds), folder, unknown);
}

}  // namespace speclab::experiments
