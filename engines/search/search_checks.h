#pragma once
#include <vector>

#include "engines/interface/sequence_search.h"
#include "engines/interface/tokenizer.h"

namespace speclab::engines {

/// @throws ConfigError if an option is out of range, contradicts another, or needs a tokenizer
void check_search_options(const SearchOptions& options, const ModelInfo& model,
                          const Tokenizer* tokenizer);

/// @param rows  of a step, for the message @param other_bytes  that the search takes beside them
/// @throws ConfigError if a cache or the memory does not hold so many tokens
void require_memory_for_cache(const ModelInfo& model, std::int64_t tokens, std::int32_t rows,
                              std::int64_t other_bytes = 0);

}  // namespace speclab::engines
