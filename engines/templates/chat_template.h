#pragma once
#include <string>
#include <vector>

#include "engines/interface/chat_request.h"
#include "engines/interface/tokenizer.h"

namespace speclab::engines {

/// Renders a conversation with the chat template of a model. A template is parsed where it is used,
/// so a broken one does not keep a model from reading raw prompts.
/// @param templates  by name: conversations with tools take "tool_use" where there is one, all
///                   others "default"
/// @param special    texts of special tokens, variables like bos_token
/// @throws ModelFileError if the template is none, ConfigError if there is no message or no fitting
///         template, or if the template refuses the conversation or fails on it
std::string render_chat(const std::vector<TemplateSource>& templates,
                        const std::vector<SpecialTokenText>& special, const ChatRequest& request);

}  // namespace speclab::engines
