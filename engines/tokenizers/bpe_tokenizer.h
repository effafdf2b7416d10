#pragma once
// Byte-level byte-pair encoding, whatever file its vocabulary came from.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engines/interface/tokenizer.h"
#include "engines/tokenizers/bpe_merger.h"
#include "engines/tokenizers/chat_template.h"
#include "engines/tokenizers/merge_table.h"
#include "engines/tokenizers/pre_tokenizer.h"
#include "engines/tokenizers/special_tokens.h"

namespace speclab::engines {

/// normal: made by merging; control: special, found only where SpecialText::parsed; user_defined:
/// found always; unused: never made.
enum class TokenKind : std::uint8_t { normal, control, user_defined, unused };

/// Everything that makes a byte-level tokenizer, already checked by the reader of its file.
struct BpeVocabulary {
  std::vector<std::string>
      texts;  ///< of each token: bytes for normal ones, plain text for the others
  std::vector<TokenKind> kinds;
  std::vector<Merge> merges;               ///< in order of rank
  std::vector<std::string_view> patterns;  ///< of the pre-tokenizer
  bool whole_pieces_first = false;  ///< a piece that is itself a token is that token, merges or not
  std::optional<Token> begin_of_sequence;  ///< only where texts are to begin with it
  std::vector<Token> end_of_sequence;
  std::optional<std::string> chat_template;  ///< Jinja text
};

class BpeTokenizer : public Tokenizer {
 public:
  /// @throws ContractError if the vocabulary contradicts itself
  explicit BpeTokenizer(BpeVocabulary vocabulary);

  std::int32_t vocab_size() const override {
    return static_cast<std::int32_t>(vocabulary_.texts.size());
  }
  std::vector<Token> encode(std::string_view text, SpecialText special) const override;
  std::string decode(std::span<const Token> ids) const override;
  std::unique_ptr<StreamingDecoder> streaming_decoder() const override;
  bool is_end_of_sequence(Token token) const override;
  std::optional<Token> begin_of_sequence() const override { return vocabulary_.begin_of_sequence; }
  bool has_chat_template() const override { return vocabulary_.chat_template.has_value(); }
  std::string apply_chat_template(std::span<const ChatMessage> messages) const override;
  std::size_t num_bytes_without_token(std::string_view text) const override;

 private:
  class Encoding;

  BpeVocabulary vocabulary_;
  ByteTokens byte_tokens_;
  MergeTable merges_;
  PreTokenizer pre_tokenizer_;
  SpecialTokens always_special_;                         ///< user-defined tokens
  SpecialTokens all_special_;                            ///< and control tokens
  std::unordered_map<std::string, Token> whole_pieces_;  ///< only for whole_pieces_first
  std::optional<ChatTemplate> chat_template_;
};

}  // namespace speclab::engines
