#include "experiments/drivers/plan/chat_prompt.h"

#include <fmt/format.h>

#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

std::string templated(const engines::Tokenizer& tokenizer, const std::string& text,
                      const char* way_out) try {
  const engines::ChatMessage message{"user", text};
  return tokenizer.apply_chat_template({&message, 1});
} catch (const ConfigError& error) {
  throw ConfigError(fmt::format("{}; {}", error.what(), way_out));
}

}  // namespace

std::vector<Token> chat_prompt_ids(const engines::Tokenizer& tokenizer, const std::string& text,
                                   const std::string& chat_template, const char* way_out) {
  const bool applies = chat_template == "auto" && tokenizer.has_chat_template();
  return applies
             ? tokenizer.encode(templated(tokenizer, text, way_out), engines::SpecialText::parsed)
             : tokenizer.encode_whole(text);
}

}  // namespace speclab::experiments
