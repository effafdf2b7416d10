#pragma once
// Readers of what a call of `speclab generate` names, as functions of bytes, and good inputs of
// each.

#include <string>
#include <vector>

namespace speclab::fuzz {

/// The input is a file of prompts, once by its lines and once as TOML.
void read_prompts(const std::string& bytes);
std::vector<std::string> prompt_seeds();

/// The input is a GenerationConfig. What was read is saved and read again.
void read_generation(const std::string& bytes);
std::vector<std::string> generation_seeds();

/// The input is a choice of tokenizers, a look behind, a number of the target's tokens and these,
/// of two bytes each, and the text of a draft.
void read_bridge(const std::string& bytes);
std::vector<std::string> bridge_seeds();

}  // namespace speclab::fuzz
