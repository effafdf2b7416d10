#include "engines/tokenizers/text_tokenizer.h"

#include <algorithm>

#include "engines/templates/chat_template.h"
#include "engines/tokenizers/characters.h"
#include "engines/tokenizers/piece_models.h"
#include "sim/system/errors.h"
#include "sim/system/utf8.h"

namespace speclab::engines {
namespace {

ByteTokens find_byte_tokens(const TextVocabulary& vocabulary) {
  ByteTokens byte_tokens;
  byte_tokens.fill(kNoToken);
  for (std::size_t i = 0; i < vocabulary.texts.size(); ++i) {
    if (vocabulary.kinds[i] != TokenKind::normal || vocabulary.texts[i].size() != 1) continue;
    byte_tokens[static_cast<unsigned char>(vocabulary.texts[i][0])] = static_cast<Token>(i);
  }
  return byte_tokens;
}

std::shared_ptr<const PieceModel> model_of(const TextVocabulary& vocabulary) {
  if (vocabulary.model) return vocabulary.model;
  ByteBpeParts parts{.byte_tokens = find_byte_tokens(vocabulary),
                     .merges = vocabulary.merges,
                     .unknown = vocabulary.unknown,
                     .closes_gaps = vocabulary.closes_gaps};
  if (vocabulary.whole_pieces_first) parts.whole_pieces = normal_pieces(vocabulary);
  return byte_bpe_model(parts);
}

PreTokenizer pre_tokenizer_of(const TextVocabulary& vocabulary) {
  return vocabulary.patterns.empty() ? PreTokenizer(vocabulary.pre_tokenizer)
                                     : PreTokenizer(vocabulary.patterns);
}

bool added_tokens_take_white_space(const TextVocabulary& vocabulary) {
  return std::ranges::any_of(vocabulary.added,
                             [](const AddedToken& token) { return token.lstrip || token.rstrip; });
}

std::size_t text_bytes(const std::vector<AddedToken>& tokens) {
  std::size_t bytes = 0;
  for (const AddedToken& token : tokens) bytes += token.text.size();
  return bytes;
}

TextVocabulary checked(TextVocabulary vocabulary) {
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
class TextTokenizer::Encoding {
 public:
  Encoding(const TextTokenizer& tokenizer, const AddedSets& added, std::size_t text_bytes)
      : tokenizer_(tokenizer),
        added_(added),
        model_work_(tokenizer.model_->start()),
        work_(text_bytes) {}

  std::vector<Token> run(std::string_view text) {
    added_.raw.split(
        text,
        [&](std::size_t begin, std::size_t end) {
          add_raw(text.substr(begin, end - begin), begin == 0);
        },
        [&](Token token) { ids_.push_back(token); });
    return std::move(ids_);
  }

 private:
  /// Text without the tokens that are found before normalization.
  void add_raw(std::string_view text, bool is_first) {
    const bool takes_any_bytes = tokenizer_.model_->takes_any_bytes();
    if (!takes_any_bytes && valid_utf8_prefix(text) != text.size())
      text = work_.made.emplace_back(with_replaced_invalid_bytes(text));
    if (!tokenizer_.vocabulary_.normalizer.empty())
      text = work_.made.emplace_back(normal_form(text, is_first));
    added_.normalized.split(
        text,
        [&](std::size_t begin, std::size_t end) {
          add_plain(text.substr(begin, end - begin), is_first && begin == 0);
        },
        [&](Token token) { ids_.push_back(token); });
  }

  /// Bytes that are not valid UTF-8 are left as they are.
  std::string normal_form(std::string_view text, bool is_first) {
    std::string result;
    visit_stretches(
        text,
        [&](std::string_view stretch) {
          result += normalized(tokenizer_.vocabulary_.normalizer, stretch,
                               is_first && result.empty(), work_);
        },
        [&](std::string_view byte) { result += byte; });
    return result;
  }

  /// Text without special tokens; bytes that are not valid UTF-8 are pieces of their own.
  void add_plain(std::string_view text, bool is_first) {
    visit_stretches(
        text,
        [&](std::string_view stretch) {
          tokenizer_.pre_tokenizer_.split(stretch, is_first, work_,
                                          [this](std::string_view piece) { add_piece(piece); });
          is_first = false;
        },
        [this](std::string_view byte) { add_piece(byte); });
  }

  void add_piece(std::string_view piece) {
    if (piece.empty()) return;
    known_.append(piece, ids_, [&] { model_work_->append_tokens(piece, ids_); });
  }

  const TextTokenizer& tokenizer_;
  const AddedSets& added_;
  std::unique_ptr<PieceModel::Work> model_work_;
  TextWork work_;
  std::vector<Token> ids_;
  KnownPieces known_;
};

std::vector<NamedPiece> normal_pieces(const TextVocabulary& vocabulary) {
  std::vector<NamedPiece> pieces;
  for (std::size_t i = 0; i < vocabulary.texts.size(); ++i)
    if (vocabulary.kinds[i] == TokenKind::normal)
      pieces.emplace_back(vocabulary.texts[i], static_cast<Token>(i));
  return pieces;
}

TextTokenizer::TextTokenizer(TextVocabulary vocabulary)
    : vocabulary_(checked(std::move(vocabulary))),
      gives_texts_back_(vocabulary_.gives_texts_back && !vocabulary_.unknown.token &&
                        !added_tokens_take_white_space(vocabulary_)),
      pre_tokenizer_(pre_tokenizer_of(vocabulary_)),
      model_(model_of(vocabulary_)) {
  add_tokens();
  if (!vocabulary_.spelling) vocabulary_.spelling = SpellingRules{.texts = vocabulary_.texts};
  std::vector<Token>& before = vocabulary_.roles.before;
  if (before.empty() && vocabulary_.begin_of_sequence)
    before.push_back(*vocabulary_.begin_of_sequence);
  for (const EndToken& end : vocabulary_.roles.ends) vocabulary_.end_of_sequence.push_back(end.id);
}

void TextTokenizer::add_tokens() {
  const bool is_told = !vocabulary_.added.empty();
  for (std::size_t i = 0; !is_told && i < vocabulary_.texts.size(); ++i) {
    const TokenKind kind = vocabulary_.kinds[i];
    if (kind == TokenKind::control || kind == TokenKind::user_defined)
      vocabulary_.added.push_back({.id = static_cast<Token>(i),
                                   .text = vocabulary_.texts[i],
                                   .special = kind == TokenKind::control});
  }
  TextWork work(text_bytes(vocabulary_.added));
  for (AddedToken token : vocabulary_.added) {
    if (token.normalized)
      token.text = token.normal_form.empty()
                       ? normalized(vocabulary_.normalizer, token.text, true, work)
                       : token.normal_form;
    if (token.text.empty()) continue;
    (token.normalized ? all_added_.normalized : all_added_.raw).add(token);
    if (!token.special)
      (token.normalized ? always_added_.normalized : always_added_.raw).add(token);
  }
}

std::vector<Token> TextTokenizer::encode(std::string_view text, SpecialText special) const {
  return Encoding(*this, special == SpecialText::parsed ? all_added_ : always_added_, text.size())
      .run(text);
}

std::string TextTokenizer::decode(std::span<const Token> ids) const {
  std::string bytes;
  Spelling spelling(*vocabulary_.spelling);
  for (const Token id : ids) {
    if (id < 0)
      throw ConfigError("token id " + std::to_string(id) +
                        "; allowed: 0 and above; check that the ids come from a tokenizer");
    spelling.push(id, bytes);
  }
  return bytes;
}

std::unique_ptr<StreamingDecoder> TextTokenizer::streaming_decoder() const {
  return utf8_streaming_decoder(*vocabulary_.spelling);
}

std::string TextTokenizer::token_text(Token token) const {
  const auto index = static_cast<std::size_t>(token);
  const bool has_text = token >= 0 && index < vocabulary_.texts.size() &&
                        vocabulary_.kinds[index] != TokenKind::unused;
  return has_text ? vocabulary_.texts[index] : "";
}

std::string TextTokenizer::token_bytes(Token token) const {
  const auto index = static_cast<std::size_t>(token);
  const SpellingRules& rules = *vocabulary_.spelling;
  const bool has_bytes = token >= 0 && index < rules.texts.size() && !rules.texts[index].empty() &&
                         vocabulary_.kinds[index] != TokenKind::control;
  return has_bytes ? rules.separator + rules.texts[index] : "";
}

bool TextTokenizer::is_end_of_sequence(Token token) const {
  const std::vector<Token>& ends = vocabulary_.end_of_sequence;
  return std::find(ends.begin(), ends.end(), token) != ends.end();
}

std::string TextTokenizer::apply_chat_template(const ChatRequest& request) const {
  return render_chat(roles().templates, roles().texts, request);
}

std::size_t TextTokenizer::num_bytes_without_token(std::string_view text) const {
  return model_->num_bytes_without_token(text);
}

}  // namespace speclab::engines
