#include "engines/training/file_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "engines/training/own_text_file.h"
#include "sim/core/errors.h"
#include "sim/core/sha256.h"

namespace speclab::engines {
namespace {

/// The first stretch of every file, then the second of every file that has one, and so on. @param most  0: all
std::vector<TextStretch> stretches_of(const std::vector<Corpus>& corpora, std::size_t length, std::size_t most) {
  std::vector<TextStretch> stretches;
  for (std::size_t begin = 0, before = 1; before != stretches.size() || begin == 0; begin += length) {
    before = stretches.size();
    for (const Corpus& corpus : corpora)
      if (begin + length <= corpus.tokens.size() && (most == 0 || stretches.size() < most)) stretches.push_back(TextStretch(corpus.tokens).subspan(begin, length));
  }
  return stretches;
}

std::string digest_of(const LanguageModel& target, std::span<const TextStretch> stretches, std::size_t held_out, const TrainOptions& options) {
  Sha256 content;
  for (const TextStretch& stretch : stretches) content.update(std::as_bytes(stretch));
  return sha256_text(fmt::format("{} {} {} {} {} {} {}", target.info().sha256, target.info().dtype, content.finish(), options.text.sequence_length, held_out, stretches.size(),
                                 options.own_text.keeps_hidden));
}

void check_number(std::size_t training, const TrainOptions& options) {
  if (training < static_cast<std::size_t>(options.schedule.batch))
    throw ConfigError(fmt::format("text.files have {} stretches of {} tokens to train on; allowed: at least drafter.batch = {}; give more files, a lower text.sequence_length or a smaller batch", training,
                                  options.text.sequence_length, options.schedule.batch));
}

}  // namespace

FileStretches file_stretches(Corpora corpora, const TrainOptions& options) {
  FileStretches stretches{.corpora = std::move(corpora), .all = {}};
  const auto length = static_cast<std::size_t>(options.text.sequence_length);
  stretches.all = stretches_of(stretches.corpora.held_out, length, static_cast<std::size_t>(options.schedule.validation_sequences));
  stretches.held_out = static_cast<std::int32_t>(stretches.all.size());
  const std::vector<TextStretch> training = stretches_of(stretches.corpora.training, length, static_cast<std::size_t>(options.text.max_sequences));
  check_number(training.size(), options);
  stretches.all.insert(stretches.all.end(), training.begin(), training.end());
  return stretches;
}

FileText make_file_text(LanguageModel& target, Corpora corpora, const TrainOptions& options, const TrainCallbacks& callbacks) {
  const FileStretches cut = file_stretches(std::move(corpora), options);
  const std::vector<TextStretch>& stretches = cut.all;
  OwnTextFile file(options.text.cache_file, digest_of(target, stretches, static_cast<std::size_t>(cut.held_out), options));
  const auto cache = target.make_cache(1, options.text.sequence_length);
  std::int64_t tokens = 0;
  while (file.texts().size() < stretches.size()) {
    std::vector<OwnText> batch;
    for (std::size_t i = file.texts().size(); i < stretches.size() && batch.size() < static_cast<std::size_t>(options.own_text.batch); ++i) {
      callbacks.check();
      batch.push_back({1, 1.0f, {stretches[i].begin(), stretches[i].end()}, {}, {}});
      add_laws(target, *cache, options.own_text.keeps_hidden, batch.back());
      tokens += static_cast<std::int64_t>(batch.back().laws.size());
    }
    file.append(std::move(batch));
    callbacks.progress({.phase = "text", .fraction = static_cast<double>(file.texts().size()) / static_cast<double>(stretches.size()), .tokens = tokens});
  }
  return {file.release(), cut.held_out};
}

}  // namespace speclab::engines
