#pragma once
#include "engines/interface/language_model.h"
#include "engines/interface/round_decoder.h"

namespace speclab::engines {

/// @throws ConfigError if the prompt is empty, has a token outside the vocabulary, or leaves no
/// room for the new tokens in the context
void check_request(const Request& request, const ModelInfo& model, std::int32_t max_new_tokens);

}  // namespace speclab::engines
