#pragma once
// The files of a prompt set (TOML by category, JSONL, and JSON arrays), and one record of them.

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

/// Reads a file by what it is: `.toml` is a category of the project's own form; anything else is
/// JSONL, or a JSON array of the same records. A byte order mark is no part of a file.
/// A record without a category has the file's name. A record without an id is "FILE:LINE", and an
/// id that is an integer "FILE-ID", because other files count from 1 too.
/// @param set  gets the prompts in the order of the file, and what was left out
/// @throws ConfigError with the file and line, or the number of the record, of the first mistake
void read_prompt_file(const std::string& path, PromptSet& set);

}  // namespace speclab::experiments
