#pragma once
#include <string>
#include <vector>

#include "engines/interface/tokenizer.h"

namespace speclab::experiments {

/// Values of the key target.chat_template: "auto" is the model's own template where it has one,
/// "off" the text as it is.
inline const std::vector<std::string> kChatTemplates{"auto", "off"};

/// A user's message as ids.
/// @param chat_template  one of kChatTemplates
/// @param way_out        what the user can change, for the message
/// @throws ConfigError if the model's template is not understood
std::vector<Token> chat_prompt_ids(
    const engines::Tokenizer& tokenizer, const std::string& text, const std::string& chat_template,
    const char* way_out = "set target.chat_template = \"off\" to give prompts as they are");

}  // namespace speclab::experiments
