#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engines/interface/tokenizer.h"
#include "engines/interface/training.h"

namespace speclab::engines {

struct Corpus {
  std::string file;
  std::vector<Token> tokens;
};

/// What FILE.source.json, a JSON object beside a text file, says of its origin and licence; null
/// where there is none.
/// @throws DataError if it is no JSON object, larger than 1 MiB or deeper than 16 values
nlohmann::ordered_json source_of(const std::string& file);

struct Corpora {
  std::vector<Corpus> training, held_out;
};

/// Reads all files before anything is trained. @throws DataError as read_corpus and source_of
Corpora read_corpora(const TextOptions& options, const Tokenizer& tokenizer,
                     std::size_t least_tokens);

/// The tokens of a text file; names of special tokens in it are plain text.
/// @param least_tokens  fewer are too few to learn from
/// @throws DataError naming the file if it cannot be read, is empty, is no UTF-8 text (with the
/// first byte that is none), or has fewer tokens
std::vector<Token> read_corpus(const std::string& path, const Tokenizer& tokenizer,
                               std::size_t least_tokens);

}  // namespace speclab::engines
