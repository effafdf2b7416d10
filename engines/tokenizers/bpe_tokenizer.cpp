#include "engines/tokenizers/bpe_tokenizer.h"

#include <algorithm>

#include "engines/tokenizers/utf8_streaming_decoder.h"
#include "sim/core/errors.h"
#include "sim/core/utf8.h"

namespace speclab::engines {
namespace {

ByteTokens find_byte_tokens(const BpeVocabulary& vocabulary) {
  ByteTokens byte_tokens;
  byte_tokens.fill(kNoToken);
  for (std::size_t i = 0; i < vocabulary.texts.size(); ++i) {
    if (vocabulary.kinds[i] != TokenKind::normal || vocabulary.texts[i].size() != 1) continue;
    byte_tokens[static_cast<unsigned char>(vocabulary.texts[i][0])] = static_cast<Token>(i);
  }
  return byte_tokens;
}

BpeVocabulary checked(BpeVocabulary vocabulary) {
  const std::size_t size = vocabulary.texts.size();
  SPECLAB_EXPECT(size == vocabulary.kinds.size() && size <= INT32_MAX, "one kind for each token");
  const auto inside = [&](Token token) {
    return token >= 0 && static_cast<std::size_t>(token) < size;
  };
  for (const Merge& merge : vocabulary.merges) {
    SPECLAB_EXPECT(inside(merge.left) && inside(merge.right) && inside(merge.merged),
                   "merges inside the vocabulary");
  }
  return vocabulary;
}

}  // namespace

/// One call of encode. Pieces that come again are copied from where their tokens already stand in
/// the result.
class BpeTokenizer::Encoding {
 public:
  explicit Encoding(const BpeTokenizer& tokenizer)
      : tokenizer_(tokenizer), merger_(tokenizer.byte_tokens_, tokenizer.merges_) {}

  void add_special(Token token) { ids_.push_back(token); }

  /// Text without special tokens; bytes that are not valid UTF-8 are pieces of their own.
  void add_plain(std::string_view text) {
    while (!text.empty()) {
      const std::size_t valid = valid_utf8_prefix(text);
      tokenizer_.pre_tokenizer_.split(text.substr(0, valid),
                                      [this](std::string_view piece) { add_piece(piece); });
      text.remove_prefix(valid);
      if (text.empty()) return;
      add_piece(text.substr(0, 1));
      text.remove_prefix(1);
    }
  }

  std::vector<Token> take() { return std::move(ids_); }

 private:
  struct Range {
    std::size_t begin;
    std::size_t count;
  };

  void add_piece(std::string_view piece) {
    if (piece.empty()) return;
    const auto [known, is_new] = known_.try_emplace(piece, Range{ids_.size(), 0});
    if (is_new) {
      make_piece(piece);
      known->second.count = ids_.size() - known->second.begin;
      return;
    }
    for (std::size_t i = 0; i < known->second.count; ++i)
      ids_.push_back(Token{ids_[known->second.begin + i]});
  }

  void make_piece(std::string_view piece) {
    if (tokenizer_.vocabulary_.whole_pieces_first) {
      const auto whole = tokenizer_.whole_pieces_.find(std::string(piece));
      if (whole != tokenizer_.whole_pieces_.end()) return ids_.push_back(whole->second);
    }
    merger_.append_tokens(piece, ids_);
  }

  const BpeTokenizer& tokenizer_;
  BpeMerger merger_;
  std::vector<Token> ids_;
  std::unordered_map<std::string_view, Range> known_;
};

BpeTokenizer::BpeTokenizer(BpeVocabulary vocabulary)
    : vocabulary_(checked(std::move(vocabulary))),
      byte_tokens_(find_byte_tokens(vocabulary_)),
      merges_(vocabulary_.merges),
      pre_tokenizer_(vocabulary_.patterns) {
  for (std::size_t i = 0; i < vocabulary_.texts.size(); ++i) {
    const std::string& text = vocabulary_.texts[i];
    const TokenKind kind = vocabulary_.kinds[i];
    const auto token = static_cast<Token>(i);
    if (kind == TokenKind::normal && vocabulary_.whole_pieces_first)
      whole_pieces_.emplace(text, token);
    if (text.empty() || (kind != TokenKind::control && kind != TokenKind::user_defined)) continue;
    all_special_.add(text, token);
    if (kind == TokenKind::user_defined) always_special_.add(text, token);
  }
  if (vocabulary_.chat_template)
    chat_template_ = ChatTemplate::recognise(*vocabulary_.chat_template);
}

std::vector<Token> BpeTokenizer::encode(std::string_view text, SpecialText special) const {
  const SpecialTokens& special_tokens =
      special == SpecialText::parsed ? all_special_ : always_special_;
  Encoding encoding(*this);
  while (!text.empty()) {
    const SpecialTokens::Match match = special_tokens.find(text);
    encoding.add_plain(text.substr(0, match.begin));
    if (match.length > 0) encoding.add_special(match.token);
    text.remove_prefix(match.begin + match.length);
  }
  return encoding.take();
}

std::string BpeTokenizer::decode(std::span<const Token> ids) const {
  std::string bytes;
  for (const Token id : ids) {
    if (id < 0 || id >= vocab_size()) {
      throw ConfigError("token id " + std::to_string(id) + "; allowed: 0 to " +
                        std::to_string(vocab_size() - 1) +
                        "; check that the ids come from this model's tokenizer");
    }
    bytes += vocabulary_.texts[static_cast<std::size_t>(id)];
  }
  return bytes;
}

std::unique_ptr<StreamingDecoder> BpeTokenizer::streaming_decoder() const {
  return std::make_unique<Utf8StreamingDecoder>(*this);
}

bool BpeTokenizer::is_end_of_sequence(Token token) const {
  const std::vector<Token>& ends = vocabulary_.end_of_sequence;
  return std::find(ends.begin(), ends.end(), token) != ends.end();
}

std::string BpeTokenizer::apply_chat_template(std::span<const ChatMessage> messages) const {
  if (!has_chat_template()) throw ConfigError("the model has no chat template");
  if (!chat_template_) {
    throw ConfigError(
        "the model's chat template is not understood; understood are those of the ChatML family "
        "(<|im_start|>role, <|im_end|>)");
  }
  if (messages.empty()) throw ConfigError("a conversation of no messages; give at least one");
  return chat_template_->apply(messages);
}

std::size_t BpeTokenizer::num_bytes_without_token(std::string_view text) const {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [this](char byte) {
    return byte_tokens_[static_cast<unsigned char>(byte)] == kNoToken;
  }));
}

}  // namespace speclab::engines
