#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engines/interface/chat_request.h"
#include "experiments/drivers/commands/tokenize.h"
#include "experiments/drivers/program/engines_loader.h"
#include "experiments/drivers/prompts/chat_prompt.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

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

}  // namespace

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

}  // namespace speclab::experiments
