#pragma once
#include "engines/interface/language_model.h"
#include "engines/training/own_text.h"
#include "engines/training/text_corpus.h"

namespace speclab::engines {

/// Counts the target's own texts, all but the first validation_sequences and others of their
/// prompts, and the training corpora; writes ngram.bin and manifest.json into options.output, which
/// keeps what it had until the new file is whole; measures on what was held out.
/// @throws ConfigError, WriteError; DataError if nothing is left to count
void train_ngrams(const ModelInfo& target, const std::vector<OwnText>& texts,
                  const Corpora& corpora, const TrainOptions& options,
                  const TrainCallbacks& callbacks);

}  // namespace speclab::engines
