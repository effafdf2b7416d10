#pragma once
#include <cstdint>
#include <string>

#include "engines/tokenizers/load_tokenizer.h"
#include "engines/tokenizers/scored_vocabulary.h"

namespace speclab::engines {

/// The content of a tokenizer.model.
struct SentencePieceModel {
  ScoredPieces pieces;
  std::int64_t begin_id = 1, end_id = 2;  ///< -1: none
};

/// Reads SentencePiece's file: a message of protocol buffers.
/// @throws ModelFileError with the byte where it is damaged, too large, or of a kind that is not
/// read
/// @source SentencePiece's sentencepiece_model.proto; Protocol Buffers, "Encoding"
SentencePieceModel read_sentencepiece_file(const std::string& path, const TokenizerLimits& limits);

}  // namespace speclab::engines
