#pragma once
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines {

class JsonNode;

/// The tokens that a drafter can draft, as its config.json lists them: of the target's vocabulary, ascending, each once.
/// @throws ModelFileError naming the element
std::vector<Token> read_draft_vocabulary(const JsonNode& list, std::int32_t vocab_size);

}  // namespace speclab::engines
