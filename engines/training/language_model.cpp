#include "engines/training/language_model.h"

#include <fmt/format.h>

#include <filesystem>

#include "engines/tokenizers/load_tokenizer.h"
#include "engines/training/byte_tokenizer.h"
#include "engines/training/file_text.h"
#include "engines/training/output_folder.h"
#include "engines/training/torch/small_transformer_trainer.h"
#include "engines/training/torch/training_device.h"
#include "engines/training/training_checks.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

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

/// A token's law takes 260 bytes while it is trained on.
void check_size(const FileStretches& stretches, std::int32_t length) {
  constexpr std::size_t kMostTokens = 16'000'000;
  if (const std::size_t tokens = stretches.all.size() * static_cast<std::size_t>(length);
      tokens > kMostTokens)
    throw ConfigError(fmt::format(
        "text.files have {} tokens to train on; allowed: at most {}; give text.max_sequences",
        tokens, kMostTokens));
}

/// @param folder  for its file, gone afterwards: what stands in the drafter's stays until it is
/// trained
std::shared_ptr<const Tokenizer> byte_tokenizer(const std::string& folder) {
  make_folder(folder);
  write_byte_tokenizer(folder);
  auto tokenizer = load_tokenizer_from_json(folder + "/tokenizer.json");
  std::filesystem::remove_all(folder);
  return tokenizer;
}

}  // namespace

void train_language_model(const TrainOptions& asked, const TrainCallbacks& callbacks) {
  TrainOptions options = asked;
  check_language_model(options);
  check_training_device(options.schedule);
  const OutputFolder folder(options.output);
  const auto tokenizer = byte_tokenizer(options.output + "/tokenizer.part");
  const FileStretches stretches =
      file_stretches(read_corpora(options.text, *tokenizer,
                                  static_cast<std::size_t>(options.text.sequence_length)),
                     options);
  check_size(stretches, options.text.sequence_length);
  options.schedule.validation_sequences = stretches.held_out;
  std::vector<OwnText> texts;
  for (const TextStretch& stretch : stretches.all) texts.push_back(certain_text(stretch));
  train_byte_transformer(texts, tokenizer->vocab_size(), options, callbacks,
                         [&] { write_byte_tokenizer(options.output); });
}

}  // namespace speclab::engines
