#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "engines/formats/input_file.h"
#include "engines/formats/json_file.h"
#include "engines/tokenizers/folder_tokens.h"
#include "engines/tokenizers/json_parts.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "engines/tokenizers/piece_models.h"
#include "engines/tokenizers/vocabulary_builder.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

enum class JsonModelKind : std::uint8_t { bpe, unigram };

/// Older files do not say; they are of the kind that has merges.
/// @throws ModelFileError for other kinds
JsonModelKind json_model_kind(const JsonNode& model) {
  const auto type = model.find("type");
  if (!type || type->as_string() == "BPE") return JsonModelKind::bpe;
  if (type->as_string() == "Unigram") return JsonModelKind::unigram;
  type->fail(type->shown(), "\"BPE\", \"Unigram\"");
}

/// The model of a tokenizer.json, once its tokens are known.
class JsonModel {
 public:
  /// @param node  `model` of the file; outlives this, as does `read`
  JsonModel(const JsonNode& node, const JsonVocabulary& read) : node_(node), read_(read) {}

  /// @throws ModelFileError as does the other: options that are not read, or an unknown token that
  /// the vocabulary has not
  void read_bpe(const JsonItems& items, bool is_byte_level, VocabularyBuilder& builder) const {
    refuse_unread_options();
    if (const JsonNode array = node_.at("merges"); !array.is_array())
      array.fail(array.shown(), "an array");
    items.add_merges_to(builder);
    TextVocabulary& vocabulary = builder.vocabulary();
    vocabulary.whole_pieces_first = node_.flag_or("ignore_merges", false);
    vocabulary.unknown = {.is_fused = node_.flag_or("fuse_unk", false)};
    if (const auto unknown = node_.find("unk_token"); unknown && !unknown->as_string().empty())
      vocabulary.unknown.token = known_token(*unknown);
    vocabulary.closes_gaps = true;
    vocabulary.roles.kind = is_byte_level ? "byte-level BPE" : "BPE";
    if (!is_byte_level) make_text_bpe(vocabulary);
  }

  void read_unigram(const std::vector<JsonItems::Piece>& pieces, TextVocabulary& vocabulary) const {
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
    if (node_.flag_or("byte_fallback", false)) parts.unknown.bytes = byte_tokens();
    if (const auto id = node_.find("unk_id"))
      parts.unknown.token =
          static_cast<Token>(id->as_integer(0, static_cast<std::int64_t>(pieces.size()) - 1));
    vocabulary.model = unigram_model(parts);
    vocabulary.roles.kind = "Unigram";
  }

 private:
  void refuse_unread_options() const {
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      const auto value = node_.find(key);
      if (value && !value->as_string().empty()) value->fail(value->shown(), "null");
    }
    const auto dropout = node_.find("dropout");
    if (dropout && dropout->as_number() != 0) dropout->fail(dropout->shown(), "null");
  }

  void make_text_bpe(TextVocabulary& vocabulary) const {
    if (node_.flag_or("byte_fallback", false)) vocabulary.unknown.bytes = byte_tokens();
    vocabulary.model = text_bpe_model({.pieces = normal_pieces(vocabulary),
                                       .merges = vocabulary.merges,
                                       .num_tokens = static_cast<Token>(vocabulary.texts.size()),
                                       .whole_pieces_first = vocabulary.whole_pieces_first,
                                       .unknown = vocabulary.unknown});
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

  const JsonNode& node_;
  const JsonVocabulary& read_;
};

class JsonTokenizerReader {
 public:
  JsonTokenizerReader(const std::string& path, const TokenizerLimits& limits)
      : path_(path),
        items_(failure_of_file(path), limits),
        json_(read_json_file(path, {}, sinks())),
        root_(json_, path),
        model_(root_.at("model")),
        kind_(json_model_kind(model_)),
        read_(root_, limits) {}

  std::shared_ptr<const Tokenizer> read() {
    folder_ = std::filesystem::path(path_).parent_path().string();
    told_ = read_folder_tokens(folder_);
    if (const auto step = root_.find("pre_tokenizer"))
      pre_tokenizer_ = json_pre_tokenizer(*step, told_.add_prefix_space);
    read_vocabulary();
    VocabularyBuilder builder(failure_of_file(path_),
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
  JsonSinks sinks() {
    return {{"/model/vocab",
             [this](const std::string& text, const nlohmann::json& value) {
               if (text.empty() && value.is_array())
                 items_.add_piece(value);
               else
                 items_.add_token(text, value);
             }},
            {"/model/merges",
             [this](const std::string&, const nlohmann::json& merge) { items_.add_merge(merge); }}};
  }

  /// False for a piece whose text comes again later.
  bool is_found(std::size_t id) const {
    return kind_ != JsonModelKind::unigram || read_.is_found(id);
  }

  bool is_byte_level() const { return pre_tokenizer_.is_byte_level && kind_ == JsonModelKind::bpe; }

  void read_vocabulary() {
    const JsonNode vocab = model_.at("vocab");
    if (kind_ == JsonModelKind::unigram)
      read_.add_pieces(vocab, items_.pieces());
    else
      read_.add_members(vocab, items_.take_tokens());
    if (const auto added = root_.find("added_tokens")) read_.add_added_tokens(*added);
    read_.add_told_tokens(folder_, told_.added);
  }

  void read_model(VocabularyBuilder& builder) const {
    const JsonModel model(model_, read_);
    if (kind_ == JsonModelKind::unigram)
      model.read_unigram(items_.pieces(), builder.vocabulary());
    else
      model.read_bpe(items_, is_byte_level(), builder);
  }

  /// Nothing where tokens stand side by side as bytes.
  std::optional<SpellingRules> spelling() const {
    const auto decoder = root_.find("decoder");
    if (is_byte_level() && (!decoder || decoder->at("type").as_string() == "ByteLevel"))
      return std::nullopt;
    return json_spelling(decoder, read_, normalizer_, path_);
  }

  void read_roles(VocabularyBuilder& builder) const {
    const auto id_of = [this](const std::string& text) { return read_.find(text); };
    TextVocabulary& vocabulary = builder.vocabulary();
    TokenRoles roles = roles_of(told_, vocabulary.texts.size(), id_of);
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
  JsonItems items_;
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
