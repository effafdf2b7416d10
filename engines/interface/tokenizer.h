#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines {

/// A token at which a text ends.
struct EndToken {
  Token id = 0;
  std::string found_in;  ///< file and field: "generation_config.json: eos_token_id"
};

/// The text of a token that has a part to play.
struct SpecialTokenText {
  std::string
      role;  ///< as transformers names it: "bos_token", "eos_token", "unk_token", "pad_token"
  std::string text;
  std::string found_in;
};

struct TemplateSource {
  std::string name;    ///< "default", "tool_use", ...
  std::string source;  ///< Jinja text
  std::string found_in;
};

/// All that the files of a model say about its special tokens.
struct TokenRoles {
  std::string kind;  ///< of the tokenizer: "byte-level BPE", "BPE", "Unigram"
  std::vector<EndToken> ends;
  std::optional<Token> begin, end;        ///< bos_token and eos_token of the tokenizer itself
  std::vector<SpecialTokenText> texts;    ///< each role once
  std::vector<TemplateSource> templates;  ///< each name once, "default" first
  std::vector<Token> before, after;       ///< what a whole text without a chat template gets
};

/// Treatment of special tokens ("<|im_start|>") in a text: ids of their own, or plain text.
enum class SpecialText : std::uint8_t { parsed, as_plain_text };

struct ChatRequest;

/// Turns ids into text piece by piece without ever splitting a character.
class StreamingDecoder {
 public:
  virtual ~StreamingDecoder() = default;
  /// Text that is complete after `token`; may be empty.
  virtual std::string push(Token token) = 0;
  /// The rest of the text; an unfinished character becomes U+FFFD.
  virtual std::string flush() = 0;
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  virtual std::int32_t vocab_size() const = 0;
  /// Takes any bytes. Bytes without a token are left out, like in the reference tokenizers;
  /// num_bytes_without_token counts them. Invalid UTF-8 survives the round trip where tokens are
  /// made of bytes; elsewhere it becomes U+FFFD.
  virtual std::vector<Token> encode(std::string_view text, SpecialText special) const = 0;
  virtual std::size_t num_bytes_without_token(std::string_view) const { return 0; }
  /// The text of the ids, special tokens included. An id without a token is nothing, because
  /// models have more rows than tokens. @throws ConfigError on a negative id
  virtual std::string decode(std::span<const Token> ids) const = 0;
  virtual std::unique_ptr<StreamingDecoder> streaming_decoder() const = 0;
  /// Whether every text that decode gives is spelt the same after encode and decode.
  virtual bool gives_texts_back() const { return true; }
  /// The token's own text, by which vocabularies are compared; empty for an id without a token.
  virtual std::string token_text(Token token) const { return decode({&token, 1}); }
  /// The bytes that the token spells within a text, parts of a character included; empty for a
  /// special token and for an id without a token.
  virtual std::string token_bytes(Token token) const { return token_text(token); }
  virtual bool is_end_of_sequence(Token token) const = 0;
  virtual const TokenRoles& roles() const {
    static const TokenRoles none;
    return none;
  }
  /// The token before every text without a chat template; empty if the model wants none.
  virtual std::optional<Token> begin_of_sequence() const { return std::nullopt; }
  /// Ids of a whole text, as transformers gives them: special tokens are parsed, and what the
  /// tokenizer puts around a text is there. The text of a chat template goes through encode
  /// instead, because the template writes its own begin.
  std::vector<Token> encode_whole(std::string_view text) const {
    std::vector<Token> ids = roles().before;
    const std::vector<Token> inner = encode(text, SpecialText::parsed);
    ids.insert(ids.end(), inner.begin(), inner.end());
    ids.insert(ids.end(), roles().after.begin(), roles().after.end());
    return ids;
  }
  virtual bool has_chat_template() const = 0;
  /// The prompt text of a conversation.
  /// @throws ConfigError if there is no message or no template, or if the template refuses the
  /// conversation; ModelFileError if the template is none
  virtual std::string apply_chat_template(const ChatRequest& request) const = 0;
};

}  // namespace speclab::engines
