#pragma once
// One prompt as other tools write it: a line of JSONL, or an element of a JSON array.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "experiments/drivers/prompts/prompt_set.h"

namespace speclab::experiments {

/// A record, read. Prompt::id and Prompt::category are empty where the record has none.
struct PromptRecord {
  Prompt prompt;
  bool has_numbered_id = false;  ///< an integer, which other files use too
  bool has_more_turns = false;   ///< of which the first is the prompt
};

/// Fields are those of MT-bench, Spec-Bench and SPEED-Bench (`turns`), ShareGPT (`conversations`),
/// chat requests (`messages`) and plain files (`prompt`, `question` or `text`).
/// @return nothing for a conversation that no human opens, of which ShareGPT has many
/// @throws ConfigError that says what was found, without the place, if the record has no prompt, a
/// placeholder in its place, or token ids
std::optional<PromptRecord> read_prompt_record(const nlohmann::json& record);

/// Why a text is no prompt although it is one by its form: a placeholder, or a row of token ids.
/// Empty for a prompt.
std::string prompt_text_problem(const std::string& text);

}  // namespace speclab::experiments
