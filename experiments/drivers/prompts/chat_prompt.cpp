#include "experiments/drivers/prompts/chat_prompt.h"

#include <fmt/format.h>

#include "engines/interface/chat_request.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

std::string rendered(const engines::Tokenizer& tokenizer, const engines::ChatRequest& request,
                     const char* way_out) try {
  return tokenizer.apply_chat_template(request);
} catch (const ConfigError& error) {
  throw ConfigError(fmt::format("{}; {}", error.what(), way_out));
} catch (const ModelFileError& error) {
  throw ModelFileError(fmt::format("{}; {}", error.what(), way_out));
}

}  // namespace

bool lacks_template(const engines::Tokenizer& tokenizer, const std::string& chat_template) {
  return chat_template == "auto" && !tokenizer.has_chat_template();
}

std::vector<Token> chat_prompt_ids(const engines::Tokenizer& tokenizer, const std::string& text,
                                   const std::string& chat_template, const char* way_out) {
  const bool applies = chat_template == "auto" && tokenizer.has_chat_template();
  return applies ? conversation_ids(tokenizer, engines::ChatRequest::of_user(text), way_out)
                 : tokenizer.encode_whole(text);
}

bool leaves_out_tools(const engines::Tokenizer& tokenizer,
                      const engines::ChatRequest& request) try {
  if (request.tools.empty()) return false;
  engines::ChatRequest without = request;
  without.tools = nullptr;
  return tokenizer.apply_chat_template(request) == tokenizer.apply_chat_template(without);
} catch (const Error&) {
  return false;  // a template that needs tools reads them
}

std::vector<Token> conversation_ids(const engines::Tokenizer& tokenizer,
                                    const engines::ChatRequest& request, const char* way_out) {
  return tokenizer.encode(rendered(tokenizer, request, way_out), engines::SpecialText::parsed);
}

}  // namespace speclab::experiments
