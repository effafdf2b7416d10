#pragma once
// Text files as tokens, and the stretches that drafters learn from or that are held out.

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "engines/interface/tokenizer.h"
#include "engines/interface/training.h"
#include "engines/training/own_text.h"

namespace speclab::engines {

struct Corpus {
  std::string file;
  std::vector<Token> tokens;
};

/// What FILE.source.json, a JSON object beside a text file, says of its origin and licence; null
/// where there is none.
/// @throws DataError if it is no JSON object, larger than 1 MiB or deeper than 16 values
nlohmann::ordered_json source_of(const std::string& file);

struct Corpora {
  std::vector<Corpus> training, held_out;
};

/// Reads all files before anything is trained. @throws DataError as read_corpus and source_of
Corpora read_corpora(const TextOptions& options, const Tokenizer& tokenizer,
                     std::size_t least_tokens);

/// The tokens of a text file; names of special tokens in it are plain text.
/// @param least_tokens  fewer are too few to learn from
/// @throws DataError naming the file if it cannot be read, is empty, is no UTF-8 text (with the
/// first byte that is none), or has fewer tokens
std::vector<Token> read_corpus(const std::string& path, const Tokenizer& tokenizer,
                               std::size_t least_tokens);

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
