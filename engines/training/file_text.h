#pragma once
#include <span>
#include <vector>

#include "engines/training/own_text.h"
#include "engines/training/text_corpus.h"

namespace speclab::engines {

using TextStretch = std::span<const Token>;

/// Stretches of text files, those of the held-out files first.
struct FileStretches {
  Corpora corpora;  ///< what they are cut from
  std::vector<TextStretch> all;
  std::int32_t held_out = 0;
};

/// Cuts files into stretches of text.sequence_length tokens, what is left at their ends aside: of
/// held-out files schedule.validation_sequences at most, of the others text.max_sequences (0: all),
/// as many of each as it has, spread evenly over it.
/// @throws ConfigError if there are fewer to train on than a batch
FileStretches file_stretches(Corpora corpora, const TrainOptions& options);

/// Stretches of text files as if the target had emitted them, with its laws along them.
struct FileText {
  std::vector<OwnText> texts;  ///< of one prompt token each; those of the held-out files first
  std::int32_t held_out = 0;   ///< how many these are
};

/// Has the target read the stretches of files that the cache file does not hold yet. Every finished
/// batch is appended and synced.
/// @throws ConfigError as file_stretches; DataError if the cache file is damaged or is of other
/// files or settings
FileText make_file_text(LanguageModel& target, Corpora corpora, const TrainOptions& options,
                        const TrainCallbacks& callbacks);

}  // namespace speclab::engines
