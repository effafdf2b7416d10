#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engines/interface/engines.h"
#include "experiments/drivers/prompts/chat_prompt.h"
#include "experiments/drivers/prompts/prompt_set.h"

namespace speclab::experiments {

/// A prompt on the command line; at most one source of it, standard input where there is none.
struct PromptInput {
  std::optional<std::string> text, file, ids;
  PromptListOptions list;  ///< in place of one prompt
  ChatOptions chat;  ///< messages in place of a prompt; tools and a system message also beside one
  bool chat_template = true;
};

/// The prompt of a command as ids: from --prompt-ids, from a conversation, or text through the chat
/// template where the model has one.
/// @throws ConfigError if it is empty, malformed, or text for a model without a tokenizer
/// @param notes_template  says on standard error where text goes in without a chat template
std::vector<Token> read_prompt(const PromptInput& options, const engines::LoadedModel& loaded,
                               bool notes_template = true);

/// A prompt of a command as ids, and its names in a list of prompts; empty for a prompt by itself.
struct GivenPrompt {
  std::string id, category;
  std::vector<Token> ids;
};

/// All prompts of a command as ids: those of --prompts, else the one that read_prompt reads.
/// @param list  of --prompts, which is read before a model is loaded
/// @throws ConfigError as read_prompt
std::vector<GivenPrompt> given_prompts(const PromptInput& options, const std::vector<Prompt>& list,
                                       const engines::LoadedModel& loaded);

/// For what needs text. @param way_out  what to give where the model just has no tokenizer
/// @throws ModelFileError that says why its tokenizer cannot be read, ConfigError if it has none
const engines::Tokenizer& tokenizer_of(const engines::LoadedModel& loaded,
                                       const std::string& way_out);

/// Says on standard error where ids go through a model whose tokenizer cannot be read, and why.
void note_missing_text(const engines::LoadedModel& loaded);

/// Says on standard error where text goes in raw because the model has no chat template.
/// @param chat_template  one of kChatTemplates
void note_missing_template(const engines::Tokenizer& tokenizer, const std::string& chat_template);

/// "1,2,3" as ids. @throws ConfigError where it is anything else
std::vector<Token> parse_prompt_ids(const std::string& text);

/// Tokenising takes as long as the text. @param what  the option, for the message @throws
/// ConfigError if it is far beyond the context
void check_text_size(const std::string& what, std::size_t bytes, const engines::ModelInfo& model);

/// Says on standard error that so many bytes of the input were dropped; nothing for 0.
void warn_of_dropped_bytes(std::size_t count);

}  // namespace speclab::experiments
