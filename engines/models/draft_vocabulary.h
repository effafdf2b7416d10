#pragma once
#include <span>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines {

class JsonNode;

/// The tokens that a drafter can draft, as its config.json lists them: of the target's vocabulary, ascending, each once.
/// @throws ModelFileError naming the element
std::vector<Token> read_draft_vocabulary(const JsonNode& list, std::int32_t vocab_size);

/// The rows of these tokens, one behind the other. @param table  [vocab, width]
std::vector<float> rows_of(std::span<const Token> tokens, std::span<const float> table, std::int32_t width);

}  // namespace speclab::engines
