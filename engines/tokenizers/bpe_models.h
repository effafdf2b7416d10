#pragma once
// Byte-pair encoding of bytes and of characters.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/tokenizers/merge_table.h"
#include "engines/tokenizers/piece_model.h"
#include "engines/tokenizers/unknown_text.h"

namespace speclab::engines {

/// A token that merging makes, by its text.
using NamedPiece = std::pair<std::string_view, Token>;

struct ByteBpeParts {
  ByteTokens byte_tokens;
  std::span<const Merge> merges;
  std::vector<NamedPiece> whole_pieces{};  ///< pieces that are this token, merges or not
  UnknownText unknown{};                   ///< for bytes without a token
  bool closes_gaps = false;  ///< what stands on both sides of a dropped byte can merge
};

/// Merges bytes, whatever they are.
std::shared_ptr<const PieceModel> byte_bpe_model(const ByteBpeParts& parts);

struct TextBpeParts {
  std::vector<NamedPiece> pieces;  ///< all that merging can make, characters included
  std::span<const Merge> merges;
  Token num_tokens = 0;
  bool whole_pieces_first = false;
  UnknownText unknown{};
};

/// Merges characters; the text is valid UTF-8.
std::shared_ptr<const PieceModel> text_bpe_model(const TextBpeParts& parts);

/// SentencePiece's rule, by which two neighbours merge if their union is a token: all such pairs,
/// the token with the highest score first, of equal scores the leftmost. Characters that are no
/// tokens themselves have numbers from `num_tokens` on, which text_bpe_model knows again.
/// @param scores  of each token
/// @source Kudo and Richardson 2018; src/bpe_model.cc of SentencePiece
std::vector<Merge> merges_of_scores(std::span<const NamedPiece> pieces,
                                    std::span<const float> scores, Token num_tokens);

}  // namespace speclab::engines
