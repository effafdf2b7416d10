#pragma once
#include <memory>
#include <vector>

#include "engines/tokenizers/bpe_models.h"
#include "engines/tokenizers/piece_model.h"
#include "engines/tokenizers/unknown_text.h"

namespace speclab::engines {

struct UnigramParts {
  std::vector<NamedPiece> pieces;
  std::vector<double> scores;  ///< of each piece: the logarithm of its probability
  double unknown_score = 0;    ///< of a character without a piece
  UnknownText unknown{};
  bool is_single_precision = false;  ///< sums are kept as SentencePiece keeps them
};

/// Cuts a piece into tokens whose scores have the largest sum.
/// @source Kudo 2018 (arXiv 1804.10959); the order in which equal sums win is that of
/// EncodeOptimized in SentencePiece's src/unigram_model.cc
std::shared_ptr<const PieceModel> unigram_model(const UnigramParts& parts);

}  // namespace speclab::engines
