#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines {

/// Treatment of special tokens ("<|im_start|>") in a text: ids of their own, or plain text.
enum class SpecialText : std::uint8_t { parsed, as_plain_text };

struct ChatMessage {
  std::string role;  ///< "system", "user", "assistant"
  std::string content;
};

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
  /// Takes any bytes; invalid UTF-8 survives the round trip. Bytes without a token are left out,
  /// like in the reference tokenizers; num_bytes_without_token counts them.
  virtual std::vector<Token> encode(std::string_view text, SpecialText special) const = 0;
  virtual std::size_t num_bytes_without_token(std::string_view) const { return 0; }
  /// Bytes, exactly those that were encoded. @throws ConfigError on an id outside the vocabulary
  virtual std::string decode(std::span<const Token> ids) const = 0;
  virtual std::unique_ptr<StreamingDecoder> streaming_decoder() const = 0;
  virtual bool is_end_of_sequence(Token token) const = 0;
  /// The token before every text without a chat template; empty if the model wants none.
  virtual std::optional<Token> begin_of_sequence() const { return std::nullopt; }
  /// Ids of a whole text, as transformers gives them: special tokens are parsed, and the begin of
  /// sequence comes first. The text of a chat template goes through encode instead, because the
  /// template writes its own begin.
  std::vector<Token> encode_whole(std::string_view text) const {
    std::vector<Token> ids = encode(text, SpecialText::parsed);
    if (const auto begin = begin_of_sequence()) ids.insert(ids.begin(), *begin);
    return ids;
  }
  virtual bool has_chat_template() const = 0;
  /// The prompt text of a conversation, opened for the assistant's answer.
  /// @throws ConfigError if there is no message, no template, or one that is not understood
  virtual std::string apply_chat_template(std::span<const ChatMessage> messages) const = 0;
};

}  // namespace speclab::engines
