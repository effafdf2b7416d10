#pragma once
#include <span>

#include "engines/interface/language_model.h"

namespace speclab::engines {

/// Feeds tokens of one sequence as a chain behind its committed entries and commits them, in chunks that keep the
/// activations small.
void commit_chain(LanguageModel& model, KvCache& cache, std::int32_t slot, std::span<const Token> tokens);

/// The same, with the logits after the last token, [1, vocab]. @param tokens  at least one
ForwardResult commit_chain_with_logits(LanguageModel& model, KvCache& cache, std::int32_t slot, std::span<const Token> tokens);

}  // namespace speclab::engines
