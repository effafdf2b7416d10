#pragma once
#include <memory>
#include <string>

#include "engines/interface/language_model.h"
#include "engines/interface/tokenizer.h"
#include "engines/interface/training.h"

namespace speclab::engines {

/// Reads the text files, makes (or reads from the cache) the target's own text, trains the drafter
/// on it and writes options.output.
/// @param target_model  what open_model takes, for the embedding table
/// @throws LockedError if another process trains into the folder or makes the same text;
/// ConfigError, DataError, WriteError
void train_drafter(LanguageModel& target, const std::shared_ptr<const Tokenizer>& tokenizer,
                   const std::string& target_model, const TrainOptions& options,
                   const TrainCallbacks& callbacks);

/// Of drafters of a target: everything that can be known before the target's own text is made,
/// which takes long.
/// @throws ConfigError naming the first option that is out of range or does not fit the target
void check_training(const TrainOptions& options, const ModelInfo& target);

/// The same for a language model. @throws ConfigError likewise
void check_language_model(const TrainOptions& options);

/// Trains a Llama-shaped model from random weights on text files, byte by byte, and writes it as a
/// checkpoint folder with its tokenizer. Loss and validation are those of the text's own next byte:
/// validation_acceptance_rate is the mean probability of it.
/// @throws ConfigError, DataError as read_corpora and run_training, WriteError
void train_language_model(const TrainOptions& options, const TrainCallbacks& callbacks);

}  // namespace speclab::engines
