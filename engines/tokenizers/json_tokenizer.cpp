#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "engines/formats/input_file.h"
#include "engines/formats/json_file.h"
#include "engines/tokenizers/chat_template_files.h"
#include "engines/tokenizers/folder_tokens.h"
#include "engines/tokenizers/json_items.h"
#include "engines/tokenizers/json_steps.h"
#include "engines/tokenizers/json_vocabulary.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "engines/tokenizers/surroundings.h"
#include "engines/tokenizers/unigram_model.h"
#include "engines/tokenizers/vocabulary_builder.h"
#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

enum class JsonModelKind : std::uint8_t { bpe, unigram };

/// Older files do not say; they are of the kind that has merges.
JsonModelKind model_kind(const JsonNode& model) {
  const auto type = model.find("type");
  if (!type || type->as_string() == "BPE") return JsonModelKind::bpe;
  if (type->as_string() == "Unigram") return JsonModelKind::unigram;
  type->fail(type->shown(), "\"BPE\", \"Unigram\"");
}

void refuse_unread_options(const JsonNode& model) {
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    const auto value = model.find(key);
    if (value && !value->as_string().empty()) value->fail(value->shown(), "null");
  }
  const auto dropout = model.find("dropout");
  if (dropout && dropout->as_number() != 0) dropout->fail(dropout->shown(), "null");
}

class JsonTokenizerReader {
 public:
  JsonTokenizerReader(const std::string& path, const TokenizerLimits& limits)
      : path_(path),
        tokens_read_(make_failure(path), limits.tokens),
        pieces_read_(make_failure(path), limits.tokens),
        merges_read_(make_failure(path), limits.merges),
        json_(read_json_file(path, {}, sinks())),
        root_(json_, path),
        model_(root_.at("model")),
        kind_(model_kind(model_)),
        read_(root_, limits) {}

  std::shared_ptr<const Tokenizer> read() {
    folder_ = std::filesystem::path(path_).parent_path().string();
    told_ = read_folder_tokens(folder_);
    if (const auto step = root_.find("pre_tokenizer"))
      pre_tokenizer_ = json_pre_tokenizer(*step, told_.add_prefix_space);
    read_vocabulary();
    VocabularyBuilder builder(make_failure(path_),
                              is_byte_level() ? Alphabet::byte_level : Alphabet::plain_text);
    for (std::size_t i = 0; i < read_.tokens().size(); ++i) {
      const auto& [text, kind] = read_.tokens()[i];
      if (kind == TokenKind::unused || !is_found(i))
        builder.add_unused_token();
      else
        builder.add_token(text, kind);
    }
    if (const auto step = root_.find("normalizer")) normalizer_ = json_normalizer(*step);
    TextVocabulary& vocabulary = builder.vocabulary();
    vocabulary.added = read_.added();
    vocabulary.normalizer = normalizer_;
    vocabulary.pre_tokenizer = pre_tokenizer_.steps;
    read_model(builder);
    vocabulary.spelling = spelling();
    vocabulary.gives_texts_back =
        is_byte_level() && !pre_tokenizer_.changes_text && vocabulary.normalizer.empty();
    read_roles(builder);
    return std::make_shared<TextTokenizer>(std::move(vocabulary));
  }

 private:
  static FieldFailure make_failure(const std::string& path) {
    return [path](const std::string& field, const std::string& found, const std::string& allowed) {
      throw_model_file_error(path, 0, {field, found, allowed});
    };
  }

  JsonSinks sinks() {
    return {{"/model/vocab",
             [this](const std::string& text, const nlohmann::json& value) {
               if (text.empty() && value.is_array())
                 pieces_read_.add(value);
               else
                 tokens_read_.add(text, value);
             }},
            {"/model/merges",
             [this](const std::string&, const nlohmann::json& merge) { merges_read_.add(merge); }}};
  }

  /// False for a piece whose text comes again later.
  bool is_found(std::size_t id) const {
    return kind_ != JsonModelKind::unigram ||
           read_.find(read_.tokens()[id].text) == static_cast<Token>(id);
  }

  bool is_byte_level() const { return pre_tokenizer_.is_byte_level && kind_ == JsonModelKind::bpe; }

  void read_vocabulary() {
    const JsonNode vocab = model_.at("vocab");
    if (kind_ == JsonModelKind::unigram)
      read_.add_pieces(vocab, pieces_read_.pieces());
    else
      read_.add_members(vocab, tokens_read_.take());
    if (const auto added = root_.find("added_tokens")) read_.add_added_tokens(*added);
    read_.add_told_tokens(folder_, told_.added);
  }

  void read_model(VocabularyBuilder& builder) {
    if (kind_ == JsonModelKind::unigram) return read_unigram(builder.vocabulary());
    refuse_unread_options(model_);
    if (const JsonNode merges = model_.at("merges"); !merges.is_array())
      merges.fail(merges.shown(), "an array");
    merges_read_.add_to(builder);
    TextVocabulary& vocabulary = builder.vocabulary();
    vocabulary.whole_pieces_first = json_flag(model_, "ignore_merges", false);
    vocabulary.unknown = {.is_fused = json_flag(model_, "fuse_unk", false)};
    if (const auto unknown = model_.find("unk_token"); unknown && !unknown->as_string().empty())
      vocabulary.unknown.token = known_token(*unknown);
    vocabulary.closes_gaps = true;
    vocabulary.roles.kind = is_byte_level() ? "byte-level BPE" : "BPE";
    if (!is_byte_level()) make_text_bpe(vocabulary);
  }

  void make_text_bpe(TextVocabulary& vocabulary) const {
    if (json_flag(model_, "byte_fallback", false)) vocabulary.unknown.bytes = byte_tokens();
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

  void read_unigram(TextVocabulary& vocabulary) const {
    constexpr double kPenalty = 10;  // @source K_UNK_PENALTY of tokenizers' unigram model
    UnigramParts parts;
    double least = 0;
    const std::vector<JsonPieces::Piece>& pieces = pieces_read_.pieces();
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      least = i == 0 ? pieces[i].score : std::min(least, pieces[i].score);
      if (!is_found(i)) continue;
      parts.pieces.emplace_back(pieces[i].text, static_cast<Token>(i));
      parts.scores.push_back(pieces[i].score);
    }
    parts.unknown_score = least - kPenalty;
    parts.unknown.is_fused = true;
    if (json_flag(model_, "byte_fallback", false)) parts.unknown.bytes = byte_tokens();
    if (const auto id = model_.find("unk_id"))
      parts.unknown.token =
          static_cast<Token>(id->as_integer(0, static_cast<std::int64_t>(pieces.size()) - 1));
    vocabulary.model = unigram_model(parts);
    vocabulary.roles.kind = "Unigram";
  }

  Token known_token(const JsonNode& node) const {
    const Token token = read_.find(node.as_string());
    if (token == kNoToken) node.fail(node.shown(), "a token of the vocabulary");
    return token;
  }

  ByteTokens byte_tokens() const {
    ByteTokens tokens;
    tokens.fill(kNoToken);
    for (std::size_t i = 0; i < read_.tokens().size(); ++i)
      if (const auto byte = byte_of_token(read_.tokens()[i].text))
        tokens[static_cast<unsigned char>(*byte)] = static_cast<Token>(i);
    return tokens;
  }

  /// Nothing where tokens stand side by side as bytes.
  std::optional<SpellingRules> spelling() const {
    const auto node = root_.find("decoder");
    if (is_byte_level() && (!node || node->at("type").as_string() == "ByteLevel"))
      return std::nullopt;
    JsonDecoder decoder;
    if (node)
      decoder = json_decoder(*node);
    else
      decoder.separator = " ";
    SpellingRules rules{.texts = {},
                        .dropped_at_first = decoder.dropped_at_first,
                        .separator = decoder.separator,
                        .stripped = decoder.stripped,
                        .strip_begin = decoder.strip_begin,
                        .strip_end = decoder.strip_end};
    std::vector<std::string> texts;
    for (const auto& token : read_.tokens()) texts.push_back(token.text);
    std::size_t left = most_made_bytes(size_of(texts));
    for (const AddedToken& token : read_.added())
      if (token.normalized)
        texts[static_cast<std::size_t>(token.id)] = normalized(normalizer_, token.text, true, left);
    if (!rules.dropped_at_first.empty()) rules.raw_texts = texts;
    left = most_made_bytes(size_of(texts));
    for (std::string& text : texts) {
      rules.texts.push_back(decoded(std::move(text), decoder, left));
      left -= std::min(left, rules.texts.back().size());
    }
    return rules;
  }

  static std::size_t size_of(const std::vector<std::string>& texts) {
    std::size_t bytes = 0;
    for (const std::string& text : texts) bytes += text.size();
    return bytes;
  }

  std::string decoded(std::string text, const JsonDecoder& decoder, std::size_t most) const try {
    for (const auto& step : decoder.of_token) text = step(std::move(text), most);
    return text;
  } catch (const TooLongTextError&) {
    throw_model_file_error(
        path_, 0,
        {"decoder", "more than " + std::to_string(most) + " bytes of tokens", kMostMadeBytes});
  }

  void read_roles(VocabularyBuilder& builder) const {
    const auto id_of = [this](const std::string& text) { return read_.find(text); };
    TextVocabulary& vocabulary = builder.vocabulary();
    TokenRoles roles = roles_of(told_, [&](const std::string& text) -> std::optional<Token> {
      const Token token = id_of(text);
      return token == kNoToken ? std::nullopt : std::optional(token);
    });
    roles.kind = std::move(vocabulary.roles.kind);
    Surroundings around;
    if (const auto processor = root_.find("post_processor"))
      around = json_post_processor(*processor, id_of,
                                   static_cast<std::int64_t>(vocabulary.texts.size()) - 1);
    set_surroundings(around, told_, roles);
    vocabulary.roles = std::move(roles);
    if (told_.ends.empty()) builder.add_usual_ends();
  }

  std::string path_, folder_;
  JsonTokens tokens_read_;
  JsonPieces pieces_read_;
  JsonMerges merges_read_;
  nlohmann::json json_;
  JsonNode root_;
  JsonNode model_;
  JsonModelKind kind_;
  JsonVocabulary read_;
  JsonPreTokenizer pre_tokenizer_;
  Normalizer normalizer_;
  FolderTokens told_;
};

}  // namespace

std::shared_ptr<const Tokenizer> load_tokenizer_from_json(const std::string& path,
                                                          const TokenizerLimits& limits) try {
  return JsonTokenizerReader(path, limits).read();
} catch (const TooLongTextError&) {
  throw_model_file_error(path, 0, {"normalizer", "more bytes of the added tokens", kMostMadeBytes});
}

}  // namespace speclab::engines
