#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "engines/formats/input_file.h"
#include "engines/formats/json_file.h"
#include "engines/tokenizers/chat_template_files.h"
#include "engines/tokenizers/folder_tokens.h"
#include "engines/tokenizers/json_items.h"
#include "engines/tokenizers/json_model.h"
#include "engines/tokenizers/json_spelling.h"
#include "engines/tokenizers/json_steps.h"
#include "engines/tokenizers/json_vocabulary.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "engines/tokenizers/surroundings.h"
#include "engines/tokenizers/vocabulary_builder.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

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
        kind_(json_model_kind(model_)),
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
    return kind_ != JsonModelKind::unigram || read_.is_found(id);
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

  void read_model(VocabularyBuilder& builder) const {
    const JsonModel model(model_, read_);
    if (kind_ == JsonModelKind::unigram)
      model.read_unigram(pieces_read_.pieces(), builder.vocabulary());
    else
      model.read_bpe(merges_read_, is_byte_level(), builder);
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
    TokenRoles roles = roles_of(told_, vocabulary.texts.size(),
                                [&](const std::string& text) -> std::optional<Token> {
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
