#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "engines/interface/tokenizer.h"

namespace speclab::engines::testing {

/// Tokens are given strings; a text is spelled by the longest that fits, again and again. Special
/// tokens are written in angle brackets; the first of them ends texts.
class StringTokenizer final : public Tokenizer {
 public:
  /// @param writes_last  of equal texts; else the first is written
  explicit StringTokenizer(std::vector<std::string> texts, bool writes_last = false)
      : texts_(std::move(texts)), writes_last_(writes_last) {}

  std::int32_t vocab_size() const override { return static_cast<std::int32_t>(texts_.size()); }
  std::vector<Token> encode(std::string_view text, SpecialText) const override {
    std::vector<Token> ids;
    while (!text.empty()) {
      Token best = -1;
      for (Token token = 0; token < vocab_size(); ++token)
        if (text.starts_with(text_of(token)) &&
            (best < 0 || text_of(token).size() + (writes_last_ ? 1 : 0) > text_of(best).size()))
          best = token;
      if (best >= 0) ids.push_back(best);
      text.remove_prefix(best >= 0 ? text_of(best).size() : 1);
    }
    return ids;
  }
  std::size_t num_bytes_without_token(std::string_view text) const override {
    return text.size() - decode(encode(text, SpecialText::parsed)).size();
  }
  std::string decode(std::span<const Token> ids) const override {
    std::string text;
    for (const Token id : ids) text += text_of(id);
    return text;
  }
  std::unique_ptr<StreamingDecoder> streaming_decoder() const override { return nullptr; }
  std::string token_bytes(Token token) const override {
    return is_special(token) ? "" : token_text(token);
  }
  std::string token_text(Token token) const override {
    return token >= 0 && token < vocab_size() ? text_of(token) : "";
  }
  bool is_end_of_sequence(Token token) const override {
    const auto first =
        std::ranges::find_if(texts_, [](const auto& text) { return text[0] == '<'; });
    return first != texts_.end() && token == first - texts_.begin();
  }
  bool has_chat_template() const override { return false; }
  std::string apply_chat_template(const ChatRequest&) const override { return ""; }

 private:
  const std::string& text_of(Token token) const { return texts_[static_cast<std::size_t>(token)]; }
  bool is_special(Token token) const { return token_text(token).starts_with("<"); }

  std::vector<std::string> texts_;
  bool writes_last_;
};

}  // namespace speclab::engines::testing
