#include "engines/tokenizers/json_model.h"

#include <algorithm>

#include "engines/tokenizers/json_steps.h"
#include "engines/tokenizers/unigram_model.h"

namespace speclab::engines {
namespace {

void refuse_unread_options(const JsonNode& model) {
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    const auto value = model.find(key);
    if (value && !value->as_string().empty()) value->fail(value->shown(), "null");
  }
  const auto dropout = model.find("dropout");
  if (dropout && dropout->as_number() != 0) dropout->fail(dropout->shown(), "null");
}

}  // namespace

JsonModelKind json_model_kind(const JsonNode& model) {
  const auto type = model.find("type");
  if (!type || type->as_string() == "BPE") return JsonModelKind::bpe;
  if (type->as_string() == "Unigram") return JsonModelKind::unigram;
  type->fail(type->shown(), "\"BPE\", \"Unigram\"");
}

void JsonModel::read_bpe(const JsonMerges& merges, bool is_byte_level,
                         VocabularyBuilder& builder) const {
  refuse_unread_options(node_);
  if (const JsonNode array = node_.at("merges"); !array.is_array())
    array.fail(array.shown(), "an array");
  merges.add_to(builder);
  TextVocabulary& vocabulary = builder.vocabulary();
  vocabulary.whole_pieces_first = json_flag(node_, "ignore_merges", false);
  vocabulary.unknown = {.is_fused = json_flag(node_, "fuse_unk", false)};
  if (const auto unknown = node_.find("unk_token"); unknown && !unknown->as_string().empty())
    vocabulary.unknown.token = known_token(*unknown);
  vocabulary.closes_gaps = true;
  vocabulary.roles.kind = is_byte_level ? "byte-level BPE" : "BPE";
  if (!is_byte_level) make_text_bpe(vocabulary);
}

void JsonModel::make_text_bpe(TextVocabulary& vocabulary) const {
  if (json_flag(node_, "byte_fallback", false)) vocabulary.unknown.bytes = byte_tokens();
  TextBpeParts parts{.pieces = {},
                     .merges = vocabulary.merges,
                     .num_tokens = static_cast<Token>(vocabulary.texts.size()),
                     .whole_pieces_first = vocabulary.whole_pieces_first,
                     .unknown = vocabulary.unknown};
  for (std::size_t i = 0; i < vocabulary.texts.size(); ++i)
    if (vocabulary.kinds[i] == TokenKind::normal)
      parts.pieces.emplace_back(vocabulary.texts[i], static_cast<Token>(i));
  vocabulary.model = text_bpe_model(parts);
}

void JsonModel::read_unigram(const std::vector<JsonPieces::Piece>& pieces,
                             TextVocabulary& vocabulary) const {
  constexpr double kPenalty = 10;  // @source K_UNK_PENALTY of tokenizers' unigram model
  UnigramParts parts;
  double least = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    least = i == 0 ? pieces[i].score : std::min(least, pieces[i].score);
    if (!read_.is_found(i)) continue;
    parts.pieces.emplace_back(pieces[i].text, static_cast<Token>(i));
    parts.scores.push_back(pieces[i].score);
  }
  parts.unknown_score = least - kPenalty;
  parts.unknown.is_fused = true;
  if (json_flag(node_, "byte_fallback", false)) parts.unknown.bytes = byte_tokens();
  if (const auto id = node_.find("unk_id"))
    parts.unknown.token =
        static_cast<Token>(id->as_integer(0, static_cast<std::int64_t>(pieces.size()) - 1));
  vocabulary.model = unigram_model(parts);
  vocabulary.roles.kind = "Unigram";
}

Token JsonModel::known_token(const JsonNode& node) const {
  const Token token = read_.find(node.as_string());
  if (token == kNoToken) node.fail(node.shown(), "a token of the vocabulary");
  return token;
}

ByteTokens JsonModel::byte_tokens() const {
  ByteTokens tokens;
  tokens.fill(kNoToken);
  for (std::size_t i = 0; i < read_.tokens().size(); ++i)
    if (const auto byte = byte_of_token(read_.tokens()[i].text))
      tokens[static_cast<unsigned char>(*byte)] = static_cast<Token>(i);
  return tokens;
}

}  // namespace speclab::engines
