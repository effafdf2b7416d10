#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines {

class JsonNode;

/// The tokens that a drafter can draft, as its config.json lists them: of the target's vocabulary,
/// ascending, each once.
/// @throws ModelFileError naming the element
std::vector<Token> read_draft_vocabulary(const JsonNode& list, std::int32_t vocab_size);

/// Row of every token in a head of these tokens, one of all where there are none. @param absent row
/// of a token that the head has not
std::vector<std::int32_t> rows_of_tokens(std::span<const Token> draft_vocabulary,
                                         std::int32_t vocab_size, std::int32_t absent);

}  // namespace speclab::engines
