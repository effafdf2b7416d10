#include "experiments/drivers/prompts/prompt.h"

#include <fmt/format.h>

#include <charconv>

#include "experiments/drivers/program/standard_input.h"
#include "experiments/drivers/prompts/chat_prompt.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/utf8.h"

namespace speclab::experiments {
namespace {

/// Files and pipes end their last line; the prompt does not.
std::string without_final_newline(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

std::string prompt_text(const PromptInput& options) {
  if (options.text) return *options.text;
  if (!options.file) return without_final_newline(StandardInput().rest());
  try {
    return without_final_newline(read_file(*options.file));
  } catch (const DataError& error) {
    throw ConfigError(fmt::format("--prompt-file: {}", error.what()));
  }
}

}  // namespace

std::vector<Token> parse_prompt_ids(const std::string& text) {
  std::vector<Token> ids;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at != end) {
    Token id = 0;
    const auto [next, error] = std::from_chars(at, end, id);
    if (error != std::errc() || (next != end && *next != ',') || next + 1 == end)
      throw ConfigError(fmt::format(
          "--prompt-ids: '{}' at character {}; allowed: integers separated by commas, as in 1,2,3",
          escaped(std::string(at, end), 20), at - text.data() + 1));
    ids.push_back(id);
    at = next == end ? end : next + 1;
  }
  return ids;
}

void check_text_size(const std::string& what, std::size_t bytes, const engines::ModelInfo& model) {
  constexpr std::size_t kMostBytesOfAToken = 1024;
  const std::size_t most = kMostBytesOfAToken * static_cast<std::size_t>(model.context_length);
  if (bytes > most)
    throw ConfigError(fmt::format(
        "{}: {} bytes; allowed: at most {}, because the context holds {} tokens; shorten the text",
        what, bytes, most, model.context_length));
}

void warn_of_dropped_bytes(std::size_t count) {
  if (count > 0)
    fmt::print(stderr,
               "speclab: warning: {} bytes of the input have no token in this model's vocabulary "
               "and are dropped\n",
               count);
}

namespace {

constexpr const char* kWithoutTemplate =
    "give --no-chat-template and a prompt in the model's own form";

bool is_conversation(const ChatOptions& chat) { return chat.messages || chat.tools || chat.system; }

/// A chat template takes text alone.
void check_text_for_template(const std::string& text, const PromptInput& options,
                             const engines::Tokenizer& tokenizer) {
  const std::size_t valid = valid_utf8_prefix(text);
  if (valid == text.size() || !options.chat_template || !tokenizer.has_chat_template()) return;
  throw ConfigError(
      fmt::format("the prompt: byte {}: {:#04x} is no UTF-8; allowed: UTF-8, or any bytes with "
                  "--no-chat-template",
                  valid, static_cast<unsigned char>(text[valid])));
}

/// The prompt's text, checked. @throws ConfigError if it is empty, far too long, or not what the
/// chat template takes
std::string checked_text(const PromptInput& options, const engines::LoadedModel& loaded) {
  std::string text = prompt_text(options);
  if (text.empty())
    throw ConfigError(
        "the prompt is empty; allowed: at least one character, from --prompt, --prompt-file or "
        "standard input");
  check_text_size("the prompt", text.size(), loaded.model->info());
  check_text_for_template(text, options, *loaded.tokenizer);
  warn_of_dropped_bytes(loaded.tokenizer->num_bytes_without_token(text));
  return text;
}

std::vector<Token> conversation_prompt(const PromptInput& options,
                                       const engines::LoadedModel& loaded) {
  engines::ChatRequest request = read_chat_request(options.chat);
  if (!loaded.tokenizer->has_chat_template())
    throw ConfigError(
        "this model has no chat template, which --messages, --tools and --system need; give "
        "--prompt in the model's own form");
  if (!options.chat.messages)
    request.messages.push_back({{"role", "user"}, {"content", checked_text(options, loaded)}});
  if (leaves_out_tools(*loaded.tokenizer, request)) fmt::print(stderr, kUnusedToolsWarning);
  return conversation_ids(*loaded.tokenizer, request, kWithoutTemplate);
}

}  // namespace

std::vector<Token> read_prompt(const PromptInput& options, const engines::LoadedModel& loaded,
                               bool notes_template) {
  if (options.ids) {
    note_missing_text(loaded);
    return parse_prompt_ids(*options.ids);
  }
  const engines::Tokenizer& tokenizer = tokenizer_of(
      loaded, "this model has no tokenizer; give the prompt as ids with --prompt-ids 1,2,3");
  if (is_conversation(options.chat)) return conversation_prompt(options, loaded);
  const std::string text = checked_text(options, loaded);
  const std::string chat_template = options.chat_template ? "auto" : "off";
  if (notes_template) note_missing_template(tokenizer, chat_template);
  return chat_prompt_ids(tokenizer, text, chat_template, kWithoutTemplate);
}

std::vector<GivenPrompt> given_prompts(const PromptInput& options, const std::vector<Prompt>& list,
                                       const engines::LoadedModel& loaded) {
  if (!options.list.set) return {{.id = "", .category = "", .ids = read_prompt(options, loaded)}};
  std::vector<GivenPrompt> given;
  for (const Prompt& prompt : list) {
    PromptInput one = options;
    one.text = prompt.text;
    given.push_back({prompt.id, prompt.category, read_prompt(one, loaded, given.empty())});
  }
  return given;
}

const engines::Tokenizer& tokenizer_of(const engines::LoadedModel& loaded,
                                       const std::string& way_out) {
  if (loaded.tokenizer) return *loaded.tokenizer;
  if (!loaded.tokenizer_problem.empty()) throw ModelFileError(loaded.tokenizer_problem);
  throw ConfigError(way_out);
}

void note_missing_text(const engines::LoadedModel& loaded) {
  if (!loaded.tokenizer_problem.empty())
    fmt::print(stderr, "speclab: text is not available, and ends of texts are not known: {}\n",
               loaded.tokenizer_problem);
}

void note_missing_template(const engines::Tokenizer& tokenizer, const std::string& chat_template) {
  if (lacks_template(tokenizer, chat_template))
    fmt::print(stderr, "speclab: {}\n", kNoTemplateNote);
}

}  // namespace speclab::experiments
