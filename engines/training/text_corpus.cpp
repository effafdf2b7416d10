#include "engines/training/text_corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engines/training/own_text_file.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/json_text.h"
#include "sim/system/sha256.h"
#include "sim/system/utf8.h"

namespace speclab::engines {
namespace {

/// Bytes of text that the file begins with: UTF-8 without the byte 0, which no text has.
std::size_t text_prefix(const std::string& bytes) {
  return std::min(valid_utf8_prefix(bytes), bytes.find('\0'));
}

std::vector<Corpus> read_files(const std::vector<std::string>& files, const Tokenizer& tokenizer,
                               std::size_t least_tokens) {
  std::vector<Corpus> corpora;
  for (const std::string& file : files) {
    source_of(file);  // a mistake in it is better known before the training
    corpora.push_back({file, read_corpus(file, tokenizer, least_tokens)});
  }
  return corpora;
}

/// How many stretches each file gives so that none gives two more than another unless that one has
/// no more. @param most  0: all
std::vector<std::size_t> shares_of(const std::vector<Corpus>& corpora, std::size_t length,
                                   std::size_t most) {
  std::vector<std::size_t> shares(corpora.size(), 0);
  std::size_t total = 0;
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t i = 0; i < corpora.size(); ++i)
      if ((shares[i] + 1) * length <= corpora[i].tokens.size() && (most == 0 || total < most))
        ++shares[i], ++total, grows = true;
  }
  return shares;
}

/// Each file's share spread evenly over it, in turn over the files.
std::vector<TextStretch> stretches_of(const std::vector<Corpus>& corpora, std::size_t length,
                                      std::size_t most) {
  const std::vector<std::size_t> shares = shares_of(corpora, length, most);
  std::vector<TextStretch> stretches;
  for (std::size_t turn = 0; turn < (shares.empty() ? 0 : std::ranges::max(shares)); ++turn)
    for (std::size_t i = 0; i < corpora.size(); ++i)
      if (turn < shares[i])
        stretches.push_back(
            TextStretch(corpora[i].tokens)
                .subspan(turn * (corpora[i].tokens.size() / length) / shares[i] * length, length));
  return stretches;
}

std::string digest_of(const LanguageModel& target, std::span<const TextStretch> stretches,
                      std::size_t held_out, const TrainOptions& options) {
  Sha256 content;
  for (const TextStretch& stretch : stretches) content.update(std::as_bytes(stretch));
  return sha256_text(fmt::format("{} {} {} {} {} {} {}", target.info().sha256, target.info().dtype,
                                 content.finish(), options.text.sequence_length, held_out,
                                 stretches.size(),
                                 kept_state_size(target.info(), options.own_text)));
}

void check_number(std::size_t training, const TrainOptions& options) {
  if (training < static_cast<std::size_t>(options.schedule.batch))
    throw ConfigError(fmt::format(
        "text.files have {} stretches of {} tokens to train on; allowed: at least drafter.batch = "
        "{}; give more files, a lower text.sequence_length or a smaller batch",
        training, options.text.sequence_length, options.schedule.batch));
}

}  // namespace

Corpora read_corpora(const TextOptions& options, const Tokenizer& tokenizer,
                     std::size_t least_tokens) {
  return {read_files(options.files, tokenizer, least_tokens),
          read_files(options.held_out_files, tokenizer, least_tokens)};
}

nlohmann::ordered_json source_of(const std::string& file) {
  constexpr std::uintmax_t kMostBytes = 1 << 20;
  constexpr int kDeepest = 16;
  const std::string source = file + ".source.json";
  if (!std::filesystem::exists(source)) return nullptr;
  if (std::filesystem::is_regular_file(source) && std::filesystem::file_size(source) > kMostBytes)
    throw DataError(
        escaped(source) +
        ": more than 1 MiB; it should name the source of the text beside it in some lines");
  const std::string text = read_file(source);
  if (const int depth = json_depth(text); depth > kDeepest)
    throw DataError(
        fmt::format("{}: values in values {} deep; allowed: {}", escaped(source), depth, kDeepest));
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_object())
    throw DataError(escaped(source) +
                    ": no JSON object; it should name the source of the text beside it: correct "
                    "it, or remove it");
  return json;
}

std::vector<Token> read_corpus(const std::string& path, const Tokenizer& tokenizer,
                               std::size_t least_tokens) {
  const std::string bytes = read_file(path);
  if (bytes.empty()) throw DataError(fmt::format("{}: an empty file; allowed: UTF-8 text", path));
  if (const std::size_t length = text_prefix(bytes); length < bytes.size())
    throw DataError(fmt::format(
        "{}: byte {}: {:#04x} is no UTF-8 text; allowed: text files; convert it or leave it out",
        path, length, static_cast<unsigned char>(bytes[length])));
  std::vector<Token> tokens = tokenizer.encode(bytes, SpecialText::as_plain_text);
  if (tokens.size() < least_tokens)
    throw DataError(
        fmt::format("{}: {} tokens; allowed: at least {}, the shortest piece that is learned from; "
                    "choose a longer text, or another drafter.order or text.sequence_length",
                    path, tokens.size(), least_tokens));
  return tokens;
}

FileStretches file_stretches(Corpora corpora, const TrainOptions& options) {
  FileStretches stretches{.corpora = std::move(corpora), .all = {}};
  const auto length = static_cast<std::size_t>(options.text.sequence_length);
  stretches.all = stretches_of(stretches.corpora.held_out, length,
                               static_cast<std::size_t>(options.schedule.validation_sequences));
  stretches.held_out = static_cast<std::int32_t>(stretches.all.size());
  const std::vector<TextStretch> training = stretches_of(
      stretches.corpora.training, length, static_cast<std::size_t>(options.text.max_sequences));
  check_number(training.size(), options);
  stretches.all.insert(stretches.all.end(), training.begin(), training.end());
  return stretches;
}

FileText make_file_text(LanguageModel& target, Corpora corpora, const TrainOptions& options,
                        const TrainCallbacks& callbacks) {
  const FileStretches cut = file_stretches(std::move(corpora), options);
  const std::vector<TextStretch>& stretches = cut.all;
  OwnTextFile file(options.text.cache_file,
                   digest_of(target, stretches, static_cast<std::size_t>(cut.held_out), options));
  const auto cache = target.make_cache(1, options.text.sequence_length);
  std::int64_t tokens = 0;
  while (file.texts().size() < stretches.size()) {
    std::vector<OwnText> batch;
    for (std::size_t i = file.texts().size();
         i < stretches.size() && batch.size() < static_cast<std::size_t>(options.own_text.batch);
         ++i) {
      callbacks.check();
      batch.push_back({1, 1.0f, {stretches[i].begin(), stretches[i].end()}, {}, {}});
      add_laws(target, *cache, kept_state_size(target.info(), options.own_text), batch.back());
      tokens += static_cast<std::int64_t>(batch.back().laws.size());
    }
    file.append(std::move(batch));
    callbacks.progress({.phase = "text",
                        .fraction = static_cast<double>(file.texts().size()) /
                                    static_cast<double>(stretches.size()),
                        .tokens = tokens});
  }
  return {file.release(), cut.held_out};
}

}  // namespace speclab::engines
