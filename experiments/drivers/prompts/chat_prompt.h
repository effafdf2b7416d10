#pragma once
// Conversations, from files and options to ids.

#include <optional>
#include <string>
#include <vector>

#include "engines/interface/chat_request.h"
#include "engines/interface/tokenizer.h"

namespace speclab::experiments {

/// A conversation and what its template may ask for, as options of a command.
struct ChatOptions {
  std::optional<std::string> messages;   ///< file with an array
  std::optional<std::string> tools;      ///< file with an array
  std::optional<std::string> variables;  ///< file with an object
  std::optional<std::string> system;     ///< text of a first message
};

/// What the files of the options hold; messages are empty where no file is given.
/// @throws ConfigError naming option and file where one is no such JSON, too large or too deep, or
/// where a system message is given twice
engines::ChatRequest read_chat_request(const ChatOptions& options);

/// Values of the key target.chat_template: "auto" is the model's own template where it has one,
/// "off" the text as it is.
inline const std::vector<std::string> kChatTemplates{"auto", "off"};

/// Said once by a command whose prompts go in without a template although none was asked for.
inline constexpr const char* kNoTemplateNote =
    "the model has no chat template: prompts go in as they are";

/// Said by a command whose tools the template leaves out.
inline constexpr const char* kUnusedToolsWarning =
    "speclab: warning: the model's chat template does not use tools; the prompt holds none\n";

/// Whether kNoTemplateNote holds. @param chat_template  one of kChatTemplates
bool lacks_template(const engines::Tokenizer& tokenizer, const std::string& chat_template);

/// A user's message as ids.
/// @param chat_template  one of kChatTemplates
/// @param way_out        what the user can change, for the message
/// @throws ConfigError or ModelFileError if the model's template does not render it
std::vector<Token> chat_prompt_ids(
    const engines::Tokenizer& tokenizer, const std::string& text, const std::string& chat_template,
    const char* way_out = "set target.chat_template = \"off\" to give prompts as they are");

/// Whether the request has tools and the model's template renders none of them.
bool leaves_out_tools(const engines::Tokenizer& tokenizer, const engines::ChatRequest& request);

/// A conversation as ids: special tokens of the rendered text are parsed, and nothing is added.
/// @throws ConfigError or ModelFileError, also if the model has no template
std::vector<Token> conversation_ids(const engines::Tokenizer& tokenizer,
                                    const engines::ChatRequest& request, const char* way_out);

}  // namespace speclab::experiments
