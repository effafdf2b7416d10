#pragma once
// The special tokens that all files of a model's folder tell of, in one place.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engines/formats/json_file.h"
#include "engines/interface/tokenizer.h"
#include "engines/tokenizers/text_tokenizer.h"

namespace speclab::engines {

class GgufMetadata;

/// A token that a file adds to the vocabulary.
struct ToldToken {
  AddedToken token;  ///< its id is -1 where the file tells only the text
  std::string found_in;
};

/// The words of the files, before they are looked up in a vocabulary.
struct FolderTokens {
  std::string folder;                     ///< where the files stand, for messages
  std::vector<EndToken> ends;             ///< of generation_config.json, else of config.json
  std::optional<std::int64_t> num_rows;   ///< vocab_size of config.json, padding included
  std::vector<SpecialTokenText> texts;    ///< each role once
  std::vector<TemplateSource> templates;  ///< each name once, "default" first
  std::vector<ToldToken> added;
  std::optional<bool> add_begin, add_end;  ///< add_bos_token, add_eos_token where they are told
  std::optional<bool> add_prefix_space;    ///< of tokenizer_config.json
  std::optional<bool> is_legacy;
};

/// Reads generation_config.json, config.json, tokenizer_config.json, special_tokens_map.json,
/// added_tokens.json, chat_template.jinja and additional_chat_templates, as far as they are there.
/// The first of two files that name a role or a template counts, in the order of transformers.
/// @throws ModelFileError naming file and field where a value is of the wrong kind or too large
FolderTokens read_folder_tokens(const std::string& folder);

/// Options of an added token beside its text, but for `special`.
void read_options(const JsonNode& node, AddedToken& token);

/// The roles of the tokens in a vocabulary.
/// @param num_tokens  of the vocabulary; a model may have more rows, and its ends may lie there
/// @param id_of       id of a text, or kNoToken
/// @throws ModelFileError naming an end that is neither a token nor a row of the model
TokenRoles roles_of(const FolderTokens& told, std::size_t num_tokens,
                    const std::function<Token(const std::string&)>& id_of);

bool is_file(const std::filesystem::path& path);

/// The chat templates of a folder: chat_template.jinja, the files of additional_chat_templates, and
/// the key chat_template of tokenizer_config.json, a text or a list of named ones. The first place
/// that has a name counts; "default" comes first.
/// @throws ModelFileError naming the file, and the field, where one is too large or no text
std::vector<TemplateSource> chat_templates_of(const std::string& folder);

/// Those of a GGUF file: tokenizer.chat_template and tokenizer.chat_template.NAME.
std::vector<TemplateSource> chat_templates_of(const GgufMetadata& metadata);

/// Ids that a text gets before and after it.
struct Surroundings {
  std::vector<Token> before, after;
};
/// Sets what a whole text gets before and after it: what the post-processor says, then what
/// add_bos_token and add_eos_token of tokenizer_config.json add or take away.
/// @throws ModelFileError if one of them asks for a text that is no token
void set_surroundings(const Surroundings& around, const FolderTokens& told, TokenRoles& roles);

}  // namespace speclab::engines
