#pragma once
#include "engines/interface/training.h"

namespace speclab::engines {

/// Trains a Llama-shaped model from random weights on text files, byte by byte, and writes it as a
/// checkpoint folder with its tokenizer. Loss and validation are those of the text's own next byte:
/// validation_acceptance_rate is the mean probability of it.
/// @throws ConfigError, DataError as read_corpora and run_training, WriteError
void train_language_model(const TrainOptions& options, const TrainCallbacks& callbacks);

}  // namespace speclab::engines
