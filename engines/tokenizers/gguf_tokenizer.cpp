#include <initializer_list>
#include <string>
#include <vector>

#include "engines/formats/gguf_file.h"
#include "engines/tokenizers/folder_tokens.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "engines/tokenizers/pre_tokenizer.h"
#include "engines/tokenizers/vocabulary_builder.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

/// Opens the name of every field of a tokenizer.
const std::string kGgufPrefix = "tokenizer.ggml.";

/// The tokens of a GGUF file, which all kinds of tokenizers read alike.
class GgufTokens {
 public:
  /// @param metadata  outlives this
  /// @throws ModelFileError as do the others: no tokens, too many, too long, or another number of
  /// types or scores
  GgufTokens(const GgufMetadata& metadata, const TokenizerLimits& limits)
      : metadata_(metadata), texts_(metadata.get_strings(kGgufPrefix + "tokens")) {
    if (texts_.empty() || texts_.size() > limits.tokens)
      metadata.fail(kGgufPrefix + "tokens", std::to_string(texts_.size()) + " tokens",
                    "1 to " + std::to_string(limits.tokens));
    for (std::size_t i = 0; i < texts_.size(); ++i)
      if (texts_[i].size() > limits.token_bytes)
        metadata.fail(
            kGgufPrefix + "tokens",
            "entry " + std::to_string(i) + " of " + std::to_string(texts_[i].size()) + " bytes",
            "at most " + std::to_string(limits.token_bytes));
  }

  const std::vector<std::string>& texts() const { return texts_; }

  /// Files without types have normal tokens alone.
  /// @source ggml's token types, which are SentencePiece's; 0 is undefined
  std::vector<PieceType> types() const {
    const std::string key = kGgufPrefix + "token_type";
    if (!metadata_.contains(key)) return std::vector(texts_.size(), PieceType::normal);
    std::vector<PieceType> types;
    for (const std::int64_t type : metadata_.get_integers(key)) {
      if (type < 0 || type > 6) metadata_.fail(key, std::to_string(type), "0 to 6");
      types.push_back(type == 0 ? PieceType::normal : static_cast<PieceType>(type));
    }
    check_count(key, "types", types.size());
    return types;
  }

  /// Files without scores have zeros.
  std::vector<float> scores() const {
    const std::string key = kGgufPrefix + "scores";
    if (!metadata_.contains(key)) return std::vector(texts_.size(), 0.0F);
    std::vector<float> scores;
    for (const double score : metadata_.get_floats(key))
      scores.push_back(static_cast<float>(score));
    check_count(key, "scores", scores.size());
    return scores;
  }

 private:
  void check_count(const std::string& key, const char* what, std::size_t count) const {
    if (count != texts_.size())
      metadata_.fail(key, std::to_string(count) + " " + what,
                     std::to_string(texts_.size()) + ", one a token");
  }

  const GgufMetadata& metadata_;
  const std::vector<std::string>& texts_;
};

class GgufTokenizerReader {
 public:
  GgufTokenizerReader(const GgufMetadata& metadata, const TokenizerLimits& limits)
      : metadata_(metadata),
        limits_(limits),
        model_(metadata.get<std::string>(kGgufPrefix + "model")),
        fail_(
            [this](const std::string& field, const std::string& found, const std::string& allowed) {
              metadata_.fail(kGgufPrefix + field, found, allowed);
            }),
        builder_(fail_, model_ == "gpt2" ? Alphabet::byte_level : Alphabet::plain_text) {}

  std::shared_ptr<const Tokenizer> read() {
    if (model_ == "gpt2")
      read_byte_level();
    else if (model_ == "llama" || model_ == "t5")
      read_scored();
    else
      metadata_.fail(kGgufPrefix + "model", "'" + escaped(model_, 40) + "'",
                     "gpt2 (byte-level BPE), llama (BPE with scores), t5 (Unigram)");
    read_roles();
    return std::make_shared<TextTokenizer>(std::move(builder_.vocabulary()));
  }

 private:
  void read_byte_level() {
    const GgufTokens tokens(metadata_, limits_);
    const std::vector<PieceType> types = tokens.types();
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (types[i] == PieceType::byte)
        metadata_.fail(kGgufPrefix + "token_type", "6", "0 to 5 for byte-level BPE");
      builder_.add_token(tokens.texts()[i], kind_of(types[i]));
    }
    const std::vector<std::string>& lines = metadata_.get_strings(kGgufPrefix + "merges");
    if (lines.size() > limits_.merges)
      metadata_.fail(kGgufPrefix + "merges", std::to_string(lines.size()) + " merges",
                     "at most " + std::to_string(limits_.merges));
    for (const std::string& line : lines) builder_.add_merge_line(line);
    pre_tokenizer_ = metadata_.find<std::string>(kGgufPrefix + "pre").value_or("default");
    if (pre_tokenizer_patterns(pre_tokenizer_).empty()) refuse_pre_tokenizer();
    builder_.set_pre_tokenizer("pre", pre_tokenizer_);
    builder_.vocabulary().roles.kind = "byte-level BPE";
  }

  /// The list is longer than messages about files usually are.
  [[noreturn]] void refuse_pre_tokenizer() const try {
    metadata_.fail(kGgufPrefix + "pre", "'" + escaped(pre_tokenizer_, 40) + "'", "a known name");
  } catch (const ModelFileError& error) {
    throw ModelFileError(std::string(error.what()) + "; known are " + known_pre_tokenizers());
  }

  /// @source llama.cpp: T5's table and rules stand in the file, the others take only the blank
  void read_scored() {
    const GgufTokens tokens(metadata_, limits_);
    ScoredPieces pieces{.texts = tokens.texts(),
                        .scores = tokens.scores(),
                        .types = tokens.types(),
                        .is_unigram = model_ == "t5",
                        .takes_user_defined_raw = true};
    const bool has_prefix = metadata_.find<bool>(kGgufPrefix + "add_space_prefix").value_or(true);
    pieces.rules = {
        .dummy_prefix = has_prefix ? PrependScheme::always : PrependScheme::never,
        .remove_extra_whitespaces =
            metadata_.find<bool>(kGgufPrefix + "remove_extra_whitespaces").value_or(false)};
    if (pieces.is_unigram)
      for (const std::int64_t byte : metadata_.find_integers(kGgufPrefix + "precompiled_charsmap"))
        pieces.charsmap += static_cast<char>(byte);
    make_scored_vocabulary(pieces, fail_, builder_);
  }

  /// -1, as 2^32 - 1 too, means none.
  std::optional<Token> role_id(const std::string& field) const {
    const std::vector<Token> ids = role_ids(field);
    return ids.empty() ? std::nullopt : std::optional(ids.front());
  }
  std::vector<Token> role_ids(const std::string& field) const {
    std::vector<Token> tokens;
    for (const std::int64_t id : metadata_.find_integers(kGgufPrefix + field))
      if (id != -1 && id != std::int64_t{UINT32_MAX}) tokens.push_back(builder_.checked(field, id));
    return tokens;
  }

  void read_roles() {
    TokenRoles& roles = builder_.vocabulary().roles;
    for (const std::string& field : std::initializer_list<std::string>{
             "eos_token_id", "eot_token_id", "eom_token_id", "eos_token_ids", "eot_token_ids",
             "eom_token_ids", "eog_token_ids"})
      for (const Token id : role_ids(field)) roles.ends.push_back({id, kGgufPrefix + field});
    builder_.add_usual_ends();
    roles.begin = role_id("bos_token_id");
    roles.end = role_id("eos_token_id");
    read_texts(roles);
    read_surroundings(roles);
    roles.templates = chat_templates_of(metadata_);
  }

  void read_texts(TokenRoles& roles) const {
    constexpr std::pair<const char*, const char*> kFields[] = {
        {"bos_token", "bos_token_id"},     {"eos_token", "eos_token_id"},
        {"unk_token", "unknown_token_id"}, {"sep_token", "seperator_token_id"},
        {"pad_token", "padding_token_id"}, {"cls_token", "cls_token_id"},
        {"mask_token", "mask_token_id"}};
    const GgufTokens tokens(metadata_, limits_);
    for (const auto& [role, field] : kFields)
      if (const auto id = role_id(field))
        roles.texts.push_back(
            {role, tokens.texts()[static_cast<std::size_t>(*id)], kGgufPrefix + field});
  }

  /// A file that does not say what texts get means what its kind of tokenizer does.
  void read_surroundings(TokenRoles& roles) const {
    const bool begins = model_ == "llama" || begins_texts_by_default(pre_tokenizer_);
    const bool ends = model_ == "t5";
    const auto told_begin = metadata_.find<bool>(kGgufPrefix + "add_bos_token");
    const auto told_end = metadata_.find<bool>(kGgufPrefix + "add_eos_token");
    if (told_begin.value_or(false) && !roles.begin) missing("bos_token_id");
    if (told_end.value_or(false) && !roles.end) missing("eos_token_id");
    if (told_begin.value_or(begins) && roles.begin) roles.before.push_back(*roles.begin);
    if (told_end.value_or(ends) && roles.end) roles.after.push_back(*roles.end);
  }
  void missing(const std::string& field) const {
    metadata_.fail(kGgufPrefix + field, "none", "an id");
  }

  const GgufMetadata& metadata_;
  TokenizerLimits limits_;
  std::string model_;
  FieldFailure fail_;
  VocabularyBuilder builder_;
  std::string pre_tokenizer_;
};

}  // namespace

std::shared_ptr<const Tokenizer> load_tokenizer_from_gguf(const GgufFile& file,
                                                          const TokenizerLimits& limits) {
  return GgufTokenizerReader(file.metadata(), limits).read();
}

}  // namespace speclab::engines
