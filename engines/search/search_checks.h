#pragma once
#include <vector>

#include "engines/interface/language_model.h"
#include "engines/interface/round_decoder.h"
#include "engines/interface/tokenizer.h"

namespace speclab::engines {

// Whether texts can have the words that they must have.

/// @throws ConfigError for a word without tokens, a token outside the vocabulary, a form that
/// begins another of the same word, and options that forced words do not go with
void check_forced_words(const SearchOptions& search, const ModelInfo& model);

/// @throws ConfigError if the words that the prompt lacks do not fit max_new_tokens, or
/// suppress_tokens and bad_words_ids forbid one in all its forms
void check_room_for_words(const DecoderOptions& options, std::span<const Token> prompt);

/// @throws ConfigError if an option is out of range, contradicts another, or needs a tokenizer;
/// ContractError for options that only rounds take
void check_search_options(const DecoderOptions& options, const ModelInfo& model,
                          const Tokenizer* tokenizer);

/// @param rows  of a step, for the message @param other_bytes  that the search takes beside them
/// @throws ConfigError if a cache or the memory does not hold so many tokens
void require_memory_for_cache(const ModelInfo& model, std::int64_t tokens, std::int32_t rows,
                              std::int64_t other_bytes = 0);

}  // namespace speclab::engines
