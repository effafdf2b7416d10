#include "experiments/drivers/commands/run.h"

#include <fmt/format.h>

#include <filesystem>

#include "experiments/drivers/commands/report.h"
#include "experiments/drivers/engines_loader.h"
#include "experiments/drivers/kinds/kinds.h"
#include "experiments/drivers/plan/time_estimate.h"
#include "experiments/drivers/run/interruption.h"
#include "experiments/drivers/run/run_experiment.h"
#include "experiments/drivers/run/run_files.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

void print_summary(const Plan& plan, const std::string& folder) {
  const RunLog log(folder);
  fmt::print("{}: {} generations in {} cells\n", folder, log.rows().size(), plan.cells.size());
  if (const int differences = num_greedy_differences(plan, log); differences > 0)
    fmt::print("{} greedy generations differ from plain decoding's text, see output_hash in rows.csv (near-ties on CUDA: --set target.device=cpu has none; on the CPU a defect)\n", differences);
}

}  // namespace

int run_run(const RunCommandOptions& options) {
  const Plan plan = make_plan(read_run_config(options.config, options.settings));
  const bool generates = experiment_kind(plan.config.kind).yield == Yield::generations;
  if (options.dry_run) {
    fmt::print("{}{}", describe(plan), generates ? time_estimate_text(plan, options.times_from) : "");
    return 0;
  }
  if (generates && plan.generations.size() > kMostWithoutYes && !options.yes)
    throw ConfigError(fmt::format("{}: {} generations; allowed without --yes: at most {}; --dry-run lists the cells", options.config, plan.generations.size(), kMostWithoutYes));
  const std::string folder = options.output.empty() ? "results/runs/" + plan.config.name : options.output;
  const Interruption interruption;
  const Yield yield = experiment_kind(plan.config.kind).yield;
  const std::string how_to_resume = yield != Yield::costs ? fmt::format("what was measured is in {}; the same command goes on from there", folder)
                                                          : fmt::format("a cost surface is kept whole or not at all; the same command measures that of {} anew", folder);
  Progress progress(Progress::style_of_standard_error());
  if (const std::string note = tree_axis_note(plan); !note.empty()) progress.note(note);
  const RunOptions run_options{.folder = folder, .repair = options.repair, .network_folder = options.allow_network_folder ? NetworkFolder::allowed : NetworkFolder::refused, .limits = {.check_interruption = [&] { interruption.check(how_to_resume); }}};
  const std::string report = folder + "/report.html";
  if (run_experiment(plan, run_options, open_engines, progress) == RunOutcome::was_complete) {
    const bool has_report = std::filesystem::exists(report);
    fmt::print("{} is complete; for another run give another --output\n", folder);
    if (has_report) fmt::print("{}\n", report);
    return has_report || !options.report ? 0 : run_report({.run = folder});
  }
  if (yield == Yield::generations) print_summary(plan, folder);
  else fmt::print("{}/{}\n", folder, yield == Yield::costs ? "costs.csv" : "atlas.csv");
  return options.report ? run_report({.run = folder}) : 0;
}

}  // namespace speclab::experiments
