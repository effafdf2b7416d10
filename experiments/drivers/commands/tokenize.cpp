#include "experiments/drivers/commands/tokenize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "experiments/drivers/program/engines_loader.h"
#include "experiments/drivers/program/json_line.h"
#include "experiments/drivers/program/standard_input.h"
#include "experiments/drivers/prompts/prompt.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

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
  return raw ? text
             : nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
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
