#pragma once
#include <functional>
#include <span>

#include "engines/interface/language_model.h"

namespace speclab::engines {

/// Receives the hidden states of tokens as they are committed, [count, hidden_size].
using HiddenSink = std::function<void(std::span<const float> hidden)>;

/// Feeds tokens of one sequence as a chain behind its committed entries and commits them, in chunks
/// that keep the activations small. @param sink  empty where no hidden states are wanted
void commit_chain(LanguageModel& model, KvCache& cache, std::int32_t slot,
                  std::span<const Token> tokens, const HiddenSink& sink = {});

/// What the rows of one forward feed: a chain of tokens behind the committed entries, with a
/// feature each where the model reads them.
struct ChainRows {
  std::span<const Token> tokens;
  std::span<const float> features{};  ///< [tokens, feature_size]; empty where the model reads none
};

/// The same, with logits and hidden state after the last token, one row of each. @param chain  at
/// least one token
ForwardResult commit_chain_with_logits(LanguageModel& model, KvCache& cache, std::int32_t slot,
                                       const ChainRows& chain);

}  // namespace speclab::engines
