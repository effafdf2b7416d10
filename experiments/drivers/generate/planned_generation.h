#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "experiments/drivers/generate/generate_options.h"
#include "experiments/drivers/generate/generation_plan.h"

namespace speclab::experiments {

/// The GenerationConfig of a call, and the mode that follows.
struct ReadGeneration {
  GenerationConfig config;
  GenerationMode mode;
};

/// Reads the files and checks all values.
/// @return nothing if neither an option nor a file speaks of GenerationConfig: the other options
/// then say everything
/// @throws ConfigError
std::optional<ReadGeneration> read_generation(const GenerateOptions& options);

/// Obeys --explain and --save-generation-config, and prints the notes.
/// @return the plan of a text to be made; nothing with --explain @throws ConfigError, WriteError
std::optional<GenerationPlan> planned_generation(const GenerateOptions& options,
                                                 const ReadGeneration& read);

/// Key `generation` of what --json prints: the mode, and every value with its origin.
nlohmann::ordered_json generation_json(const ReadGeneration& read);

/// The options with the plan's settings, for this prompt.
/// @throws ConfigError if the prompt leaves no room below max_length
GenerateOptions with_plan(const GenerateOptions& options, GenerationPlan& plan,
                          std::size_t prompt_length);

/// The mode, why, and every value that has an effect or was given, with its origin.
/// {"mode":..., "why":..., "drafted":..., "values":{KEY:{"value":..., "origin":...}},
/// "notes":[...]}
KeyValue explanation_json(const GenerationConfig& config, const GenerationMode& mode);

/// A call beyond its mode: its plan, or its refusal.
struct ExplainedCall {
  std::optional<GenerationPlan> plan{};
  std::string refusal{};  ///< empty if the options alone are no reason
};

/// {"drafter":{"kind":..., "model":..., "tree":..., "policy":...}, "refusal":null}; the drafter is
/// null if nothing is drafted or the call is refused.
KeyValue explained_call_json(const ExplainedCall& call);

/// The explanation as text for people.
std::string explanation_text(const GenerationConfig& config, const GenerationMode& mode,
                             const ExplainedCall& call);

}  // namespace speclab::experiments
