#pragma once
// Everything that `speclab generate` refuses before a model is loaded, in the order of a call, and
// how --explain tells a call.

#include <optional>
#include <string>
#include <vector>

#include "engines/interface/language_model.h"
#include "experiments/drivers/generate/generation_plan.h"

namespace speclab::experiments {

/// Refuses what validate() of transformers 4.49 refuses, and keys that speclab cannot obey.
/// @throws ConfigError naming the contradicting keys
void check_values(const GenerationConfig& config);

/// Refuses values that the mode cannot obey when it runs; --explain still explains them.
/// @param verifier  as --verifier has it @throws ConfigError
void check_mode(const ReadGeneration& read, const std::string& verifier);

/// Refuses a call by its options and its plan. @throws ConfigError
void check_call(const GenerateCall& call);

/// The plan of GenerationConfig, or of the options alone if nothing speaks of it.
/// @param options  outlive the call @throws ConfigError as generation_plan and check_call
GenerateCall checked_call(const GenerateOptions& options,
                          const std::optional<ReadGeneration>& read);

/// Says on standard error which options about drafts have no effect, because nothing is drafted.
void note_unused_options(const GenerateCall& call);

/// @throws ConfigError if text is asked for of a model without a tokenizer
void check_stream_of_model(const StreamOptions& stream, const engines::LoadedModel& loaded);

/// An end that no token is would never come. @throws ConfigError
void check_ends(const engines::StopOptions& stop, const engines::ModelInfo& model);

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
