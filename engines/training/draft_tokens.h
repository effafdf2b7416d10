#pragma once
#include <span>
#include <vector>

#include "engines/interface/training.h"
#include "engines/training/own_text.h"

namespace speclab::engines {

/// The `count` tokens that the texts' laws and their draws give the most weight, ascending; ties go
/// to the lower id.
std::vector<Token> frequent_tokens(std::span<const OwnText* const> texts, std::int32_t vocab_size,
                                   std::int32_t count);

/// Whether distillation.vocabulary_from, if it is given, names a drafter of the same target with a
/// draft vocabulary as large as draft_vocabulary.
/// @throws ConfigError if there is none, of another size or target, or beside start_from, which
/// brings its own; ModelFileError if its config.json cannot be read
void check_vocabulary_from(const DistillationOptions& options, const ModelInfo& target);

/// The tokens that a new drafter can draft, ascending: those of distillation.vocabulary_from, or
/// the most frequent of the texts.
std::vector<Token> draft_tokens(std::span<const OwnText* const> texts, std::int32_t vocab_size,
                                const DistillationOptions& options);

}  // namespace speclab::engines
