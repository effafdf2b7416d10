#include "experiments/drivers/commands/dry_run.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "experiments/drivers/config/kinds.h"
#include "experiments/drivers/measure/model_checks.h"
#include "experiments/drivers/plan/model_names.h"
#include "experiments/drivers/plan/plan_json.h"
#include "experiments/drivers/plan/time_estimate.h"
#include "experiments/drivers/program/engines_loader.h"
#include "sim/system/data_folder.h"

namespace speclab::experiments {
namespace {

/// Without engines nothing is checked, which the note says.
std::vector<std::string> check_and_note(const Plan& plan) {
  if (!have_engines()) return {"models are not checked: this build has no engines"};
  const auto engines = open_engines();
  check_model_names(plan, engines->known_models());
  check_models(plan, *engines);
  return {};
}

/// The time, and a line that says it or why it is not known.
struct ToldTime {
  std::optional<SourcedEstimate> time;
  std::string text;
};

ToldTime told_time(const Plan& plan, const DryRunOptions& options) {
  if (experiment_kind(plan.config.kind).yield != Yield::generations)
    return {std::nullopt,
            fmt::format("time: not known for experiments of the kind {}\n", plan.config.kind)};
  const auto time = find_estimate(plan, {.times_from = options.times_from,
                                         .run_folder = options.folder,
                                         .references = data_folder() + "/results/reference"});
  return {time, time_estimate_text(time)};
}

/// A note says the time in words only where there is no number.
void print_object(const Plan& plan, const DryRunOptions& options, const ToldTime& told,
                  std::vector<std::string> notes) {
  if (!told.time) notes.push_back(told.text.substr(0, told.text.size() - 1));
  for (const std::string& note : {tree_axis_note(plan), plan.prompt_note})
    if (!note.empty()) notes.push_back(note);
  fmt::print("{}\n", plan_json(plan, {.folder = options.folder,
                                      .time = told.time,
                                      .needs_yes = options.needs_yes,
                                      .notes = std::move(notes)}));
}

}  // namespace

int show_dry_run(const Plan& plan, const DryRunOptions& options, Progress& progress) {
  const std::vector<std::string> notes = check_and_note(plan);
  const ToldTime told = told_time(plan, options);
  if (options.json) {
    print_object(plan, options, told, notes);
    return 0;
  }
  for (const std::string& note : notes) progress.note(note);
  fmt::print("{}{}", describe(plan), told.text);
  return 0;
}

}  // namespace speclab::experiments
