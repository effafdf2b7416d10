#pragma once
// The files of a prompt set: TOML by category, JSONL, and JSON arrays.

#include <string>

#include "experiments/drivers/prompts/prompt_set.h"

namespace speclab::experiments {

/// Reads a file by what it is: `.toml` is a category of the project's own form; anything else is
/// JSONL, or a JSON array of the same records. A byte order mark is no part of a file.
/// A record without a category has the file's name. A record without an id is "FILE:LINE", and an
/// id that is an integer "FILE-ID", because other files count from 1 too.
/// @param set  gets the prompts in the order of the file, and what was left out
/// @throws ConfigError with the file and line, or the number of the record, of the first mistake
void read_prompt_file(const std::string& path, PromptSet& set);

}  // namespace speclab::experiments
