#pragma once
// A tokenizer, whatever file its vocabulary came from: added tokens, normalizer, pre-tokenizer,
// model, and back.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engines/interface/tokenizer.h"
#include "engines/tokenizers/added_tokens.h"
#include "engines/tokenizers/bpe_models.h"
#include "engines/tokenizers/merge_table.h"
#include "engines/tokenizers/normalizer.h"
#include "engines/tokenizers/pre_tokenizer.h"
#include "engines/tokenizers/token_spelling.h"

namespace speclab::engines {

/// normal: made by merging; control: special, found only where SpecialText::parsed; user_defined:
/// found always; unused: never made.
enum class TokenKind : std::uint8_t { normal, control, user_defined, unused };

/// Everything that makes a tokenizer, already checked by the reader of its file. Fields below
/// `merges` that are left out are those of byte-level byte-pair encoding.
struct TextVocabulary {
  std::vector<std::string>
      texts;  ///< of each token: bytes for normal ones, plain text for the others
  std::vector<TokenKind> kinds;
  std::vector<Merge> merges;               ///< in order of rank
  std::vector<std::string_view> patterns;  ///< of the pre-tokenizer
  bool whole_pieces_first = false;  ///< a piece that is itself a token is that token, merges or not
  std::optional<Token> begin_of_sequence;  ///< only where texts are to begin with it
  std::vector<Token> end_of_sequence;

  std::vector<AddedToken> added{};  ///< control and user-defined tokens, where they have options
  Normalizer normalizer{};
  PreTokenizer::Steps pre_tokenizer{};  ///< in place of `patterns`
  UnknownText unknown{};
  bool closes_gaps = false;                   ///< as ByteBpeParts has it
  std::shared_ptr<const PieceModel> model{};  ///< in place of the merges of bytes
  std::optional<SpellingRules> spelling{};    ///< in place of texts side by side
  bool gives_texts_back = true;               ///< as Tokenizer has it, but for the added tokens
  TokenRoles roles{};
};

class TextTokenizer : public Tokenizer {
 public:
  /// @throws ContractError if the vocabulary contradicts itself
  explicit TextTokenizer(TextVocabulary vocabulary);

  std::int32_t vocab_size() const override {
    return static_cast<std::int32_t>(vocabulary_.texts.size());
  }
  std::vector<Token> encode(std::string_view text, SpecialText special) const override;
  std::string decode(std::span<const Token> ids) const override;
  std::unique_ptr<StreamingDecoder> streaming_decoder() const override;
  bool gives_texts_back() const override { return gives_texts_back_; }
  std::string token_text(Token token) const override;
  std::string token_bytes(Token token) const override;
  bool is_end_of_sequence(Token token) const override;
  std::optional<Token> begin_of_sequence() const override { return vocabulary_.begin_of_sequence; }
  const TokenRoles& roles() const override { return vocabulary_.roles; }
  bool has_chat_template() const override { return !vocabulary_.roles.templates.empty(); }
  std::string apply_chat_template(const ChatRequest& request) const override;
  std::size_t num_bytes_without_token(std::string_view text) const override;

 private:
  class Encoding;
  /// Tokens that are looked for in a text before its normalization and after it.
  struct AddedSets {
    AddedTokens raw, normalized;
  };
  void add_tokens();

  TextVocabulary vocabulary_;
  bool gives_texts_back_;
  PreTokenizer pre_tokenizer_;
  std::shared_ptr<const PieceModel> model_;
  AddedSets always_added_;  ///< user-defined tokens
  AddedSets all_added_;     ///< and control tokens
};

}  // namespace speclab::engines
