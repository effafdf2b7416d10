#pragma once
// A tokenizer, whatever file its vocabulary came from: added tokens, normalizer, pre-tokenizer,
// model, and back.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/interface/tokenizer.h"
#include "engines/tokenizers/bpe_merger.h"
#include "engines/tokenizers/byte_trie.h"
#include "engines/tokenizers/piece_models.h"
#include "engines/tokenizers/pre_tokenizer.h"
#include "sim/core/token.h"

namespace speclab::engines {

/// A token that is found in the text before anything is merged.
struct AddedToken {
  Token id = 0;
  std::string text;
  bool special = true;        ///< found only where SpecialText::parsed
  bool normalized = false;    ///< found in the normalized text, after all that are not
  bool single_word = false;   ///< not beside a letter, a digit or an underscore
  bool lstrip = false;        ///< takes the white space before it along
  bool rstrip = false;        ///< takes the white space after it along
  std::string normal_form{};  ///< looked for in the normalized text; empty: the normalizer's
};

/// Finds tokens in a text: the leftmost first, of those the longest.
/// @source AddedVocabulary of Hugging Face's tokenizers
class AddedTokens {
 public:
  /// @param token  with the text that is looked for, not empty
  void add(const AddedToken& token);
  bool empty() const { return tokens_.empty(); }

  /// Calls `plain(begin, end)` and `found(token)` in the order of the text. White space that a
  /// token takes along is in neither.
  void split(std::string_view text, const std::function<void(std::size_t, std::size_t)>& plain,
             const std::function<void(Token)>& found) const;

 private:
  struct Match {
    std::size_t begin, end;
    std::int32_t index;  ///< in tokens_; -1 if there is none
  };
  Match find(std::string_view text, std::size_t from) const;

  std::vector<AddedToken> tokens_;
  ByteTrie trie_;
};

/// How tokens are put together to a text.
/// @source the decoders of Hugging Face's tokenizers
struct SpellingRules {
  std::vector<std::string> texts;        ///< of each token, as it stands in a text; empty for none
  std::string dropped_at_first{};        ///< no mark of a blank in the first token; empty for none
  std::vector<std::string> raw_texts{};  ///< with the marks, where the first token drops them
  std::string separator{};               ///< between two tokens
  std::string stripped{};                ///< one character, at both ends of the whole text
  std::size_t strip_begin = 0, strip_end = 0;  ///< how many of it at most
};

/// Puts one text together, token by token.
class Spelling {
 public:
  /// @param rules  outlive this
  explicit Spelling(const SpellingRules& rules) : rules_(&rules), left_(rules.strip_begin) {}

  /// Appends what is certain after `token`. Tokens without text leave nothing.
  void push(Token token, std::string& out);
  // Characters that are held back at the end of a text are dropped: there is nothing to finish.

 private:
  std::string_view text_of(std::size_t index);
  void append(std::string_view text, std::string& out);

  const SpellingRules* rules_;
  std::size_t left_;  ///< characters that may still be stripped at the beginning
  bool is_first_ = true;
  std::string unmarked_;  ///< the first token without its marks
  std::string held_;      ///< characters that are dropped if the text ends here
};

/// Holds back the bytes of an unfinished character. Bytes that belong to no character come out as
/// U+FFFD, so what is pushed out is always valid UTF-8.
/// @param rules  outlive the decoder
std::unique_ptr<StreamingDecoder> utf8_streaming_decoder(const SpellingRules& rules);

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

/// Texts of the tokens that merging makes. They point into the vocabulary.
std::vector<NamedPiece> normal_pieces(const TextVocabulary& vocabulary);

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
