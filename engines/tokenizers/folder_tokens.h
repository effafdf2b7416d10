#pragma once
// The special tokens that all files of a model's folder tell of, in one place.

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
  std::vector<EndToken> ends;             ///< of generation_config.json, else of config.json
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
/// @param id_of  id of a text, or nothing
TokenRoles roles_of(const FolderTokens& told,
                    const std::function<std::optional<Token>(const std::string&)>& id_of);

}  // namespace speclab::engines
