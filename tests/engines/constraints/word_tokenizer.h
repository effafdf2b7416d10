#pragma once
#include <algorithm>

#include "engines/interface/tokenizer.h"

namespace speclab::engines::testing {

/// Tokens are given words, side by side in texts; "</s>" ends them.
class WordTokenizer final : public Tokenizer {
 public:
  enum class FirstBlank : std::uint8_t { kept, dropped };

  explicit WordTokenizer(std::vector<std::string> words, FirstBlank first = FirstBlank::kept)
      : words_(std::move(words)), first_(first) {}

  std::int32_t vocab_size() const override { return static_cast<std::int32_t>(words_.size()); }
  /// The longest word that fits, from left to right.
  std::vector<Token> encode(std::string_view text, SpecialText) const override {
    std::vector<Token> ids;
    while (!text.empty()) {
      Token best = 0;
      for (Token id = 0; id < vocab_size(); ++id)
        if (text.starts_with(word(id)) && word(id).size() > word(best).size() * (best != 0))
          best = id;
      ids.push_back(best);
      text.remove_prefix(word(best).size());
    }
    return ids;
  }
  std::string decode(std::span<const Token> ids) const override {
    std::string text;
    for (const Token id : ids) text += word(id);
    const bool drops = first_ == FirstBlank::dropped && text.starts_with(' ');
    return drops ? text.substr(1) : text;
  }
  std::string token_text(Token token) const override {
    return token < vocab_size() ? word(token) : "";
  }
  std::string token_bytes(Token token) const override {
    return is_end_of_sequence(token) ? "" : token_text(token);
  }
  std::unique_ptr<StreamingDecoder> streaming_decoder() const override { return nullptr; }
  bool is_end_of_sequence(Token token) const override { return token_text(token) == "</s>"; }
  bool has_chat_template() const override { return false; }
  std::string apply_chat_template(const ChatRequest&) const override { return ""; }

 private:
  const std::string& word(Token id) const { return words_[static_cast<std::size_t>(id)]; }

  std::vector<std::string> words_;
  FirstBlank first_;
};

}  // namespace speclab::engines::testing
