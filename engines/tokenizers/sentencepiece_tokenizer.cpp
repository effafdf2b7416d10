#include <filesystem>
#include <unordered_set>

#include "engines/formats/input_file.h"
#include "engines/tokenizers/chat_template_files.h"
#include "engines/tokenizers/folder_tokens.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "engines/tokenizers/scored_vocabulary.h"
#include "engines/tokenizers/sentencepiece_file.h"
#include "engines/tokenizers/surroundings.h"

namespace speclab::engines {
namespace {

/// Added tokens of the folder: known pieces become tokens that are found in the text, and others
/// take the ids behind the pieces.
void add_told_tokens(const FolderTokens& told, const std::string& path,
                     VocabularyBuilder& builder) {
  constexpr std::int64_t kMostBehind = 100'000;
  TextVocabulary& vocabulary = builder.vocabulary();
  std::unordered_set<std::string> added;
  for (const AddedToken& token : vocabulary.added) added.insert(token.text);
  const auto most_id = static_cast<std::int64_t>(vocabulary.texts.size()) + kMostBehind;
  for (const auto& [told_token, found_in] : told.added) {
    AddedToken token = told_token;
    token.normalized = false;  // the normalizer knows nothing of tokens that are no pieces
    if (added.contains(token.text)) continue;
    const Token known = builder.find(token.text);
    if (known != kNoToken) {
      token.id = known;
    } else {
      if (token.id < static_cast<Token>(vocabulary.texts.size())) continue;
      if (token.id > most_id)
        throw_model_file_error(
            path, 0,
            {found_in, "id " + std::to_string(token.id), "at most " + std::to_string(most_id)});
      while (static_cast<Token>(vocabulary.texts.size()) < token.id) {
        builder.add_unused_token();
        vocabulary.spelling->texts.emplace_back();
      }
      builder.add_token(token.text, token.special ? TokenKind::control : TokenKind::user_defined);
      vocabulary.spelling->texts.push_back(token.text);
    }
    added.insert(token.text);
    vocabulary.added.push_back(std::move(token));
  }
}

/// Models of the Llama family begin texts and T5's end them, if their files do not say.
Surroundings usual_surroundings(const SentencePieceModel& model, const TokenRoles& roles) {
  Surroundings around;
  if (!model.pieces.is_unigram && roles.begin) around.before.push_back(*roles.begin);
  if (model.pieces.is_unigram && roles.end) around.after.push_back(*roles.end);
  return around;
}

void set_roles(const SentencePieceModel& model, const FolderTokens& told,
               VocabularyBuilder& builder) {
  TextVocabulary& vocabulary = builder.vocabulary();
  TokenRoles roles =
      roles_of(told, vocabulary.texts.size(), [&](const std::string& text) -> std::optional<Token> {
        const Token token = builder.find(text);
        return token == kNoToken ? std::nullopt : std::optional(token);
      });
  const auto size = static_cast<std::int64_t>(vocabulary.texts.size());
  const auto is_inside = [size](std::int64_t id) { return id >= 0 && id < size; };
  if (!roles.begin && is_inside(model.begin_id)) roles.begin = static_cast<Token>(model.begin_id);
  if (!roles.end && is_inside(model.end_id)) roles.end = static_cast<Token>(model.end_id);
  if (roles.ends.empty() && roles.end)
    roles.ends.push_back({*roles.end, "tokenizer.model: eos_id"});
  roles.kind = vocabulary.roles.kind;
  set_surroundings(usual_surroundings(model, roles), told, roles);
  vocabulary.roles = std::move(roles);
  if (told.ends.empty()) builder.add_usual_ends();
}

}  // namespace

std::shared_ptr<const Tokenizer> load_tokenizer_from_sentencepiece(const std::string& path,
                                                                   const TokenizerLimits& limits) {
  const FieldFailure fail = [&path](const std::string& field, const std::string& found,
                                    const std::string& allowed) {
    throw_model_file_error(path, 0, {field, found, allowed});
  };
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const FolderTokens told = read_folder_tokens(folder);
  SentencePieceModel model = read_sentencepiece_file(path, limits);
  // Models of the Llama family have no blank behind an added token, as in transformers 5, unless
  // their files say "legacy"; T5's have one.
  SentencePieceRules& rules = model.pieces.rules;
  const bool has_one_blank = !model.pieces.is_unigram && !told.is_legacy.value_or(false);
  if (rules.dummy_prefix == PrependScheme::always && has_one_blank)
    rules.dummy_prefix = PrependScheme::first;
  VocabularyBuilder builder(fail, Alphabet::plain_text);
  make_scored_vocabulary(model.pieces, fail, builder);
  add_told_tokens(told, folder, builder);
  set_roles(model, told, builder);
  return std::make_shared<TextTokenizer>(std::move(builder.vocabulary()));
}

std::shared_ptr<const Tokenizer> load_tokenizer_from_folder(const std::string& folder) {
  const auto is_there = [](const std::string& path) {
    std::error_code none;
    return std::filesystem::exists(path, none);
  };
  if (is_there(folder + "/tokenizer.json"))
    return load_tokenizer_from_json(folder + "/tokenizer.json");
  if (is_there(folder + "/tokenizer.model"))
    return load_tokenizer_from_sentencepiece(folder + "/tokenizer.model");
  return nullptr;
}

}  // namespace speclab::engines
