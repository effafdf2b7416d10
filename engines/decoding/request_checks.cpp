#include "engines/decoding/request_checks.h"

#include <fmt/format.h>

#include "sim/system/errors.h"

namespace speclab::engines {

void check_request(const Request& request, const ModelInfo& model, std::int32_t max_new_tokens) {
  if (request.prompt_ids.empty())
    throw ConfigError("the prompt is empty; allowed: at least one token");
  for (const Token token : request.prompt_ids)
    if (token < 0 || token >= model.vocab_size)
      throw ConfigError(fmt::format("prompt token {}; allowed: 0 to {} ({}'s vocabulary)", token,
                                    model.vocab_size - 1, model.name));
  const std::size_t needed = request.prompt_ids.size() + static_cast<std::size_t>(max_new_tokens);
  if (needed > static_cast<std::size_t>(model.context_length))
    throw ConfigError(fmt::format(
        "a prompt of {} tokens and max_new_tokens = {} need {} positions; {} has a "
        "context of {}; shorten the prompt or lower max_new_tokens",
        request.prompt_ids.size(), max_new_tokens, needed, model.name, model.context_length));
}

}  // namespace speclab::engines
