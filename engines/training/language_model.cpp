#include "engines/training/language_model.h"

#include "engines/tokenizers/load_tokenizer.h"
#include "engines/training/byte_tokenizer.h"
#include "engines/training/file_text.h"
#include "engines/training/torch/small_transformer_trainer.h"
#include "engines/training/training_checks.h"
#include "sim/core/files.h"
#include "sim/core/path_lock.h"

namespace speclab::engines {
namespace {

/// A stretch as if a target had emitted each of its tokens for certain.
OwnText certain_text(TextStretch stretch) {
  OwnText text{1, 1.0f, {stretch.begin(), stretch.end()}, {}, {}};
  for (const Token token : stretch.subspan(1)) {
    TopLaw law{};
    law.tokens[0] = token;
    law.probabilities[0] = 1.0f;
    text.laws.push_back(law);
  }
  return text;
}

}  // namespace

void train_language_model(const TrainOptions& asked, const TrainCallbacks& callbacks) {
  TrainOptions options = asked;
  check_language_model(options);
  make_folder(options.output);
  const PathLock lock(options.output);
  write_byte_tokenizer(options.output);
  const auto tokenizer = load_tokenizer_from_json(options.output + "/tokenizer.json");
  const FileStretches stretches = file_stretches(read_corpora(options.text, *tokenizer, static_cast<std::size_t>(options.text.sequence_length)), options);
  options.schedule.validation_sequences = stretches.held_out;
  std::vector<OwnText> texts;
  for (const TextStretch& stretch : stretches.all) texts.push_back(certain_text(stretch));
  train_language_model(texts, tokenizer->vocab_size(), options, callbacks);
}

}  // namespace speclab::engines
