#pragma once
#include <cstdint>
#include <vector>

#include "engines/formats/json_file.h"
#include "engines/tokenizers/json_items.h"
#include "engines/tokenizers/json_vocabulary.h"
#include "engines/tokenizers/vocabulary_builder.h"

namespace speclab::engines {

enum class JsonModelKind : std::uint8_t { bpe, unigram };

/// Older files do not say; they are of the kind that has merges.
/// @throws ModelFileError for other kinds
JsonModelKind json_model_kind(const JsonNode& model);

/// The model of a tokenizer.json, once its tokens are known.
class JsonModel {
 public:
  /// @param node  `model` of the file; outlives this, as does `read`
  JsonModel(const JsonNode& node, const JsonVocabulary& read) : node_(node), read_(read) {}

  /// @throws ModelFileError as does the other: options that are not read, or an unknown token that
  /// the vocabulary has not
  void read_bpe(const JsonMerges& merges, bool is_byte_level, VocabularyBuilder& builder) const;
  void read_unigram(const std::vector<JsonPieces::Piece>& pieces, TextVocabulary& vocabulary) const;

 private:
  void make_text_bpe(TextVocabulary& vocabulary) const;
  Token known_token(const JsonNode& node) const;
  ByteTokens byte_tokens() const;

  const JsonNode& node_;
  const JsonVocabulary& read_;
};

}  // namespace speclab::engines
