#pragma once
#include <optional>
#include <string>
#include <vector>

#include "experiments/drivers/generate/generation_plan.h"

namespace speclab::experiments {

/// The notes of the values, then those of the mode.
std::vector<std::string> all_notes(const ReadGeneration& read);

/// The mode, why, and every value that has an effect or was given, with its origin.
/// {"mode":..., "why":..., "drafted":..., "values":{KEY:{"value":..., "origin":...}},
/// "notes":[...]}
KeyValue explanation_json(const ReadGeneration& read);

/// A call beyond its mode: its plan, or its refusal.
struct ExplainedCall {
  std::optional<GenerationPlan> plan{};
  std::string refusal{};  ///< empty if the options alone are no reason
};

/// {"drafter":{"kind":..., "model":..., "tree":..., "policy":...}, "refusal":null}; the drafter is
/// null if nothing is drafted or the call is refused.
KeyValue explained_call_json(const ExplainedCall& call);

/// The explanation as text for people.
std::string explanation_text(const ReadGeneration& read, const ExplainedCall& call);

}  // namespace speclab::experiments
