#pragma once
#include "engines/tokenizers/folder_tokens.h"
#include "engines/tokenizers/json_steps.h"

namespace speclab::engines {

/// Sets what a whole text gets before and after it: what the post-processor says, then what
/// add_bos_token and add_eos_token of tokenizer_config.json add or take away.
/// @throws ModelFileError if one of them asks for a text that is no token
void set_surroundings(const Surroundings& around, const FolderTokens& told, TokenRoles& roles);

}  // namespace speclab::engines
