#pragma once
#include <vector>

#include "engines/training/own_text.h"
#include "engines/training/text_corpus.h"

namespace speclab::engines {

/// Stretches of text files as if the target had emitted them, with its laws along them.
struct FileText {
  std::vector<OwnText> texts;   ///< of one prompt token each; those of the held-out files first
  std::int32_t held_out = 0;    ///< how many these are
};

/// Cuts files into stretches of text.sequence_length tokens, what is left at their ends aside, and has the target read what the cache file
/// does not hold yet: of held-out files schedule.validation_sequences at most, of the others text.max_sequences (0: all), both in turn over
/// the files. Every finished batch is appended and synced.
/// @throws ConfigError if there are fewer stretches than a batch; DataError if the cache file is damaged or is of other files or settings
FileText make_file_text(LanguageModel& target, const Corpora& corpora, const TrainOptions& options, const TrainCallbacks& callbacks);

}  // namespace speclab::engines
