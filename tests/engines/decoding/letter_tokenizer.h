#pragma once
#include "engines/interface/tokenizer.h"

namespace speclab::engines::testing {

/// Token t is the letter 'a' + t mod 26; one token may end sequences.
class LetterTokenizer final : public Tokenizer {
 public:
  explicit LetterTokenizer(std::int32_t vocab_size, Token end = -1)
      : vocab_size_(vocab_size), end_(end) {}

  static std::string letter(Token token) {
    return std::string(1, static_cast<char>('a' + token % 26));
  }

  std::int32_t vocab_size() const override { return vocab_size_; }
  std::vector<Token> encode(std::string_view text, SpecialText) const override {
    std::vector<Token> ids;
    for (const char c : text) ids.push_back(c - 'a');
    return ids;
  }
  std::string decode(std::span<const Token> ids) const override {
    std::string text;
    for (const Token id : ids) text += letter(id);
    return text;
  }
  std::unique_ptr<StreamingDecoder> streaming_decoder() const override {
    return std::make_unique<Decoder>();
  }
  bool is_end_of_sequence(Token token) const override { return token == end_; }
  bool has_chat_template() const override { return false; }
  std::string apply_chat_template(const ChatRequest&) const override { return ""; }

 private:
  struct Decoder final : StreamingDecoder {
    std::string push(Token token) override { return letter(token); }
    std::string flush() override { return ""; }
  };

  std::int32_t vocab_size_;
  Token end_;
};

}  // namespace speclab::engines::testing
