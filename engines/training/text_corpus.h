#pragma once
#include <string>
#include <vector>

#include "engines/interface/tokenizer.h"
#include "engines/interface/training.h"

namespace speclab::engines {

struct Corpus {
  std::string file;
  std::vector<Token> tokens;
};

struct Corpora {
  std::vector<Corpus> training, held_out;
};

/// Reads all files before anything is trained. @throws DataError as read_corpus
Corpora read_corpora(const TextOptions& options, const Tokenizer& tokenizer, std::size_t least_tokens);

/// The tokens of a text file; names of special tokens in it are plain text.
/// @param least_tokens  fewer are too few to learn from
/// @throws DataError naming the file if it cannot be read, is empty, is no UTF-8 text (with the first byte that is none), or
///         has fewer tokens
std::vector<Token> read_corpus(const std::string& path, const Tokenizer& tokenizer, std::size_t least_tokens);

}  // namespace speclab::engines
