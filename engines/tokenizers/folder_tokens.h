#pragma once
// The special tokens that all files of a model's folder tell of, in one place.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engines/interface/token_roles.h"
#include "engines/tokenizers/added_tokens.h"

namespace speclab::engines {

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

/// The roles of the tokens in a vocabulary.
/// @param num_tokens  of the vocabulary; a model may have more rows, and its ends may lie there
/// @param id_of       id of a text, or nothing
/// @throws ModelFileError naming an end that is neither a token nor a row of the model
TokenRoles roles_of(const FolderTokens& told, std::size_t num_tokens,
                    const std::function<std::optional<Token>(const std::string&)>& id_of);

}  // namespace speclab::engines
