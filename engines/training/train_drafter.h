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

}  // namespace speclab::engines
