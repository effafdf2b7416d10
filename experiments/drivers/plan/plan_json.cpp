#include "experiments/drivers/plan/plan_json.h"

#include <nlohmann/json.hpp>

#include "experiments/drivers/config/kinds.h"

namespace speclab::experiments {
namespace {

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

}  // namespace

std::string plan_json(const Plan& plan, const PlanOutlook& outlook) {
  const bool measures = experiment_kind(plan.config.kind).yield == Yield::generations;
  Json cells = Json::array();
  for (const Cell& cell : plan.cells) cells.push_back(cell_json(plan, cell, measures));
  Json object = {{"name", plan.config.name},
                 {"kind", plan.config.kind},
                 {"folder", outlook.folder},
                 {"cells", plan.cells.size()},
                 {"prompts", plan.prompts.size()},
                 {"pilots", measures ? plan.pilots.size() : 0},
                 {"generations", measures ? plan.generations.size() : 0},
                 {"new_tokens", plan.config.prompts.new_tokens},
                 {"estimated_seconds", nullptr},
                 {"estimated_from", nullptr},
                 {"unknown_cells", nullptr},
                 {"needs_yes", outlook.needs_yes},
                 {"notes", outlook.notes},
                 {"cell_list", std::move(cells)}};
  if (outlook.time) {
    object["estimated_seconds"] = outlook.time->estimate.seconds;
    object["estimated_from"] = outlook.time->source;
    object["unknown_cells"] = outlook.time->estimate.unknown_cells;
  }
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace speclab::experiments
