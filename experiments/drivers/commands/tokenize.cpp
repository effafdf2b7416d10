#include "experiments/drivers/commands/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engines/interface/chat_request.h"
#include "experiments/drivers/program/engines_loader.h"
#include "experiments/drivers/program/standard_input.h"
#include "experiments/drivers/prompts/chat_prompt.h"
#include "experiments/drivers/prompts/prompt.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/json_text.h"

namespace speclab::experiments {
namespace {

std::string template_source(const std::string& path) try {
  return read_file(path);
} catch (const DataError& error) {
  throw ConfigError(fmt::format("--template: {}", error.what()));
}

/// The texts of special tokens, where the options do not give them.
void add_special_texts(const engines::Tokenizer& tokenizer, engines::ChatRequest& request) {
  for (const engines::SpecialTokenText& token : tokenizer.roles().texts)
    if (!request.variables.contains(token.role)) request.variables[token.role] = token.text;
}

std::string rendered(const engines::Engines& engines, const engines::Tokenizer* tokenizer,
                     const TokenizeOptions& options) {
  engines::ChatRequest request = read_chat_request(options.chat);
  request.add_generation_prompt = options.add_generation_prompt;
  if (!options.template_file) {
    if (!tokenizer->has_chat_template())
      throw ConfigError(fmt::format("model '{}' has no chat template; give --template FILE",
                                    escaped(options.model, 200)));
    if (leaves_out_tools(*tokenizer, request)) fmt::print(stderr, kUnusedToolsWarning);
    return tokenizer->apply_chat_template(request);
  }
  if (tokenizer) add_special_texts(*tokenizer, request);
  return engines.render_chat_template(template_source(*options.template_file),
                                      *options.template_file, request);
}

constexpr const char *kAllowedText = "a JSON string a line, as in \"Hello\"; bare text with --raw",
                     *kAllowedIds = "an array of ids a line, as in [1,2,3]";

std::string text_of(const std::string& line, std::size_t number) {
  const nlohmann::json value = parse_json_line(line, number, kAllowedText);
  if (!value.is_string())
    throw ConfigError(fmt::format("standard input:{}: a JSON {}; allowed: a JSON string", number,
                                  value.type_name()));
  return value.get<std::string>();
}

/// Ids beyond the vocabulary have no text: a model may have rows for them, which only pad.
void warn_of_unknown_ids(const engines::Tokenizer& tokenizer, const std::vector<Token>& ids,
                         std::size_t number) {
  const auto unknown =
      std::ranges::find_if(ids, [&](Token id) { return id >= tokenizer.vocab_size(); });
  if (unknown != ids.end())
    fmt::print(stderr,
               "speclab: warning: standard input:{}: id {} has no text; the tokenizer has ids 0 to "
               "{}\n",
               number, *unknown, tokenizer.vocab_size() - 1);
}

std::string decoded(const engines::Tokenizer& tokenizer, const std::string& line,
                    std::size_t number, bool raw) {
  const nlohmann::json value = parse_json_line(line, number, kAllowedIds);
  if (!value.is_array() || !std::ranges::all_of(value, is_token_id))
    throw ConfigError(
        fmt::format("standard input:{}: {}; allowed: {}", number, escaped(line, 60), kAllowedIds));
  const std::vector<Token> ids = value.get<std::vector<Token>>();
  warn_of_unknown_ids(tokenizer, ids, number);
  const std::string text = tokenizer.decode(ids);
  return raw ? text : json_text(nlohmann::json(text));
}

/// The ids of a conversation, or its text; with a template file and `text`, no model is loaded.
/// @throws ConfigError, ModelFileError
int tokenize_messages(const TokenizeOptions& options) {
  const bool needs_model = !options.template_file || !options.text;
  const auto engines = open_engines();
  const auto tokenizer = needs_model ? engines->load_tokenizer(options.model) : nullptr;
  const std::string text = rendered(*engines, tokenizer.get(), options);
  if (options.text)
    std::fwrite(text.data(), 1, text.size(), stdout);
  else
    fmt::print("[{}]\n", fmt::join(tokenizer->encode(text, engines::SpecialText::parsed), ","));
  return 0;
}

}  // namespace

int run_tokenize(const TokenizeOptions& options) {
  if (options.chat.messages) return tokenize_messages(options);
  const auto tokenizer = open_engines()->load_tokenizer(options.model);
  StandardInput input;
  std::size_t dropped = 0;
  for (std::string line; input.next_line(line);) {
    if (options.decode) {
      fmt::print("{}\n", decoded(*tokenizer, line, input.line_number(), options.raw));
      continue;
    }
    const std::string text = options.raw ? line : text_of(line, input.line_number());
    dropped += tokenizer->num_bytes_without_token(text);
    fmt::print("[{}]\n", fmt::join(options.add_special_tokens
                                       ? tokenizer->encode_whole(text)
                                       : tokenizer->encode(text, engines::SpecialText::parsed),
                                   ","));
  }
  warn_of_dropped_bytes(dropped);
  return 0;
}

}  // namespace speclab::experiments
