#include "experiments/drivers/commands/run_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "experiments/drivers/config/kinds.h"
#include "experiments/drivers/measure/model_checks.h"
#include "experiments/drivers/plan/plan.h"
#include "experiments/drivers/plan/time_estimate.h"
#include "experiments/drivers/program/build_info.h"
#include "experiments/drivers/program/engines_loader.h"
#include "sim/system/data_folder.h"
#include "sim/system/json_text.h"

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

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json cell_json(const Plan& plan, const Cell& cell, bool measures) {
  const Setting setting = cell.written();
  Json json = {{"id", cell.id},
               {"model", setting.model},
               {"temperature", setting.temperature},
               {"drafter", setting.drafter},
               {"tree", text_or_null(setting.tree)},
               {"policy", text_or_null(setting.policy)},
               {"verifier", text_or_null(setting.verifier)},
               {"category", cell.category},
               {"generations", measures ? plan.num_generations(cell) : 0}};
  if (!setting.weights.empty()) json["weights"] = setting.weights;
  if (!setting.activations.empty()) json["activations"] = setting.activations;
  if (setting.batch != 1) json["batch"] = setting.batch;
  if (!setting.generation.empty()) json["generation"] = setting.generation;
  return json;
}

/// The counts of `describe`, every cell, and what is to be expected. Generations and pilots of a
/// kind that measures none are 0. A note says the time in words only where there is no number.
void print_object(const Plan& plan, const DryRunOptions& options, const ToldTime& told,
                  std::vector<std::string> notes) {
  if (!told.time) notes.push_back(told.text.substr(0, told.text.size() - 1));
  for (const std::string& note : {tree_axis_note(plan), plan.prompt_note})
    if (!note.empty()) notes.push_back(note);
  const bool measures = experiment_kind(plan.config.kind).yield == Yield::generations;
  Json cells = Json::array();
  for (const Cell& cell : plan.cells) cells.push_back(cell_json(plan, cell, measures));
  const auto& time = told.time;
  const Json object = {{"name", plan.config.name},
                       {"kind", plan.config.kind},
                       {"folder", options.folder},
                       {"cells", plan.cells.size()},
                       {"prompts", plan.prompts.size()},
                       {"pilots", measures ? plan.pilots.size() : 0},
                       {"generations", measures ? plan.generations.size() : 0},
                       {"new_tokens", plan.config.prompts.new_tokens},
                       {"estimated_seconds", time ? Json(time->estimate.seconds) : Json()},
                       {"estimated_from", time ? Json(time->source) : Json()},
                       {"unknown_cells", time ? Json(time->estimate.unknown_cells) : Json()},
                       {"needs_yes", options.needs_yes},
                       {"notes", notes},
                       {"cell_list", std::move(cells)}};
  fmt::print("{}\n", json_text(object));
}

const char* status_of(const RunEnd& end) {
  return end.is_submitted && end.exit_code == ExitCode::ok ? "submitted" : to_string(end.exit_code);
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

void RunEnd::fail(const std::exception& failure) {
  const auto* coded = dynamic_cast<const Error*>(&failure);
  exit_code = coded ? coded->code() : ExitCode::internal;
  error = failure.what();
}

std::string run_json(const RunEnd& end) {
  Json object = {{"folder", text_or_null(end.folder)},
                 {"status", status_of(end)},
                 {"exit_code", static_cast<int>(end.exit_code)},
                 {"error", text_or_null(end.error)},
                 {"report", text_or_null(end.report)},
                 {"answer", text_or_null(end.answer)},
                 {"details", text_or_null(end.details)},
                 {"was_complete", end.was_complete},
                 {"cells", end.cells}};
  const auto& counts = end.generations;
  object["generations"] = counts ? Json(counts->planned) : Json();
  object["measured"] = counts ? Json(counts->measured) : Json();
  object["failed"] = counts ? Json(counts->failed) : Json();
  return json_text(object);
}

}  // namespace speclab::experiments
