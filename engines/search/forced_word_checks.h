#pragma once
// Whether texts can have the words that they must have.

#include "engines/interface/language_model.h"
#include "engines/interface/sequence_search.h"

namespace speclab::engines {

/// @throws ConfigError for a word without tokens, a token outside the vocabulary, a form that
/// begins another of the same word, and options that forced words do not go with
void check_forced_words(const SearchOptions& options, const ModelInfo& model);

/// @throws ConfigError if the words that the prompt lacks do not fit max_new_tokens, or
/// suppress_tokens and bad_words_ids forbid one in all its forms
void check_room_for_words(const SearchOptions& options, std::span<const Token> prompt);

}  // namespace speclab::engines
