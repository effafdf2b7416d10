#pragma once
#include <string>
#include <vector>

#include "engines/interface/tokenizer.h"

namespace speclab::engines {

/// The tokens of a text file; names of special tokens in it are plain text.
/// @param least_tokens  fewer are too few to learn from
/// @throws DataError naming the file if it cannot be read, is empty, is no UTF-8 text (with the first byte that is none), or
///         has fewer tokens
std::vector<Token> read_corpus(const std::string& path, const Tokenizer& tokenizer, std::size_t least_tokens);

}  // namespace speclab::engines
