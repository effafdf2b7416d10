#pragma once
#include <memory>
#include <optional>

#include "engines/interface/language_model.h"
#include "engines/ngrams/ngram_model.h"
#include "engines/training/own_text.h"
#include "engines/training/text_corpus.h"

namespace speclab::engines {

/// How well a model foretells text that it was not trained on.
struct HeldOutScore {
  std::int64_t tokens = 0;
  double loss = 0;  ///< mean of -ln q(token), nats: the perplexity is its exponential
  std::optional<double> acceptance_rate{};  ///< mean sum of min(p, q) at temperature 1; at least
                                            ///< that, where the target's law is cut
  std::optional<double>
      greedy_agreement{};  ///< share of positions where both have the same most likely token
};

/// Of plain text, whose first tokens have what there is of context.
HeldOutScore held_out_score(const NgramModel& model, std::span<const Token> text);
/// Of the emitted tokens of the target's own texts, with its laws. @param texts  with at least one
/// emitted token
HeldOutScore held_out_score(const std::shared_ptr<const NgramModel>& model,
                            std::span<const OwnText* const> texts);

/// Counts the target's own texts, all but the first validation_sequences and others of their
/// prompts, and the training corpora; writes ngram.bin and manifest.json into options.output, which
/// keeps what it had until the new file is whole; measures on what was held out.
/// @throws ConfigError, WriteError; DataError if nothing is left to count
void train_ngrams(const ModelInfo& target, const std::vector<OwnText>& texts,
                  const Corpora& corpora, const TrainOptions& options,
                  const TrainCallbacks& callbacks);

}  // namespace speclab::engines
