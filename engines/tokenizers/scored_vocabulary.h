#pragma once
// Vocabularies of pieces with scores, as SentencePiece makes them: in its own file and in GGUF.

#include <string>
#include <vector>

#include "engines/tokenizers/normalizer.h"
#include "engines/tokenizers/text_tokenizer.h"
#include "engines/tokenizers/vocabulary_builder.h"

namespace speclab::engines {

/// @source SentencePiece's sentencepiece_model.proto; GGUF has the same numbers
enum class PieceType : std::uint8_t {
  normal = 1,
  unknown = 2,
  control = 3,
  user_defined = 4,
  unused = 5,
  byte = 6
};

struct ScoredPieces {
  std::vector<std::string> texts{};
  std::vector<float> scores{};
  std::vector<PieceType> types{};
  bool is_unigram = false;
  SentencePieceRules rules{};
  std::string charsmap{};               ///< bytes, may be empty
  bool takes_user_defined_raw = false;  ///< as llama.cpp does: user-defined pieces are found before
                                        ///< normalization, and sums of scores have double precision
};

/// Adds the pieces to the builder and makes normalizer, model and spelling of them.
/// @param fail  for pieces that cannot be
void make_scored_vocabulary(const ScoredPieces& pieces, const FieldFailure& fail,
                            VocabularyBuilder& builder);

}  // namespace speclab::engines
