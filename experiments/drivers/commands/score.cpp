#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "engines/interface/not_finite.h"
#include "experiments/drivers/commands/commands.h"
#include "experiments/drivers/program/confirmation.h"
#include "experiments/drivers/program/engines_loader.h"
#include "experiments/drivers/program/loading_note.h"
#include "experiments/drivers/program/standard_input.h"
#include "experiments/drivers/prompts/prompt.h"
#include "sim/core/vector_math.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

/// Writes a table of float32 row by row in NumPy's format. The file has its name only when it is
/// whole.
class NpyFile {
 public:
  /// @throws WriteError naming the file
  NpyFile(const std::string& path, std::int64_t rows, std::int64_t columns);

  /// @param values  whole rows @throws WriteError
  void append(std::span<const float> values);
  /// Gives the file its name. @throws ContractError if rows are missing; WriteError
  void finish();

 private:
  std::int64_t values_left_;
  WholeFile file_;
};

static_assert(std::endian::native == std::endian::little, "'<f4' is little-endian");

constexpr std::size_t kHeaderAlignment = 64;

/// @source NumPy's format, version 1.0: magic, version, length of the text, text, all together a
/// multiple of 64 bytes
std::string npy_header(std::int64_t rows, std::int64_t columns) {
  std::string text =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  const std::size_t before = 10, unpadded = before + text.size() + 1;
  text.append((kHeaderAlignment - unpadded % kHeaderAlignment) % kHeaderAlignment, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xFFU);
  header += static_cast<char>(text.size() >> 8U);
  return header + text;
}

NpyFile::NpyFile(const std::string& path, std::int64_t rows, std::int64_t columns)
    : values_left_(rows * columns), file_(path, NameFrom::user) {
  file_.write(npy_header(rows, columns));
}

void NpyFile::append(std::span<const float> values) {
  values_left_ -= static_cast<std::int64_t>(values.size());
  file_.write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

void NpyFile::finish() {
  SPECLAB_EXPECT(values_left_ == 0, "all rows");
  file_.finish();
}

/// @throws NotFiniteError naming the model
double require_finite(double value, const engines::LanguageModel& model) {
  if (!std::isfinite(value)) engines::throw_logits_not_finite(model.info().name);
  return value;
}

/// Runs the ids and calls `visit(i, logits)` with the logits after each.
template <typename Visit>
void visit_logits(engines::LanguageModel& model, std::span<const Token> ids, Visit visit) {
  constexpr std::size_t kChunk = 64;
  const auto cache = model.make_cache(1, static_cast<std::int32_t>(ids.size()));
  const std::int32_t slot = cache->begin();
  for (std::size_t begin = 0; begin < ids.size(); begin += kChunk) {
    const std::size_t count = std::min(kChunk, ids.size() - begin);
    std::vector<engines::ForwardRow> rows;
    std::vector<std::int32_t> path;
    for (std::size_t i = 0; i < count; ++i) {
      rows.push_back({ids[begin + i], static_cast<std::int32_t>(begin + i), slot,
                      static_cast<std::int32_t>(i) - 1});
      path.push_back(static_cast<std::int32_t>(i));
    }
    const engines::ForwardResult result = model.forward(rows, *cache);
    for (std::size_t i = 0; i < count; ++i) visit(begin + i, result.row(i));
    cache->commit(slot, path);
  }
}

/// The model's opinion of a text: for ids[1], ids[2], ..., each after all before it.
struct Scores {
  std::vector<double> values;                 ///< negative log-likelihoods, nats
  std::vector<Confirmation> confirmations{};  ///< with --confirm
};

/// Writes the logits where asked.
Scores score(engines::LanguageModel& model, const std::vector<Token>& ids,
             const ScoreOptions& options) {
  const std::optional<std::string>& logits_path = options.logits;
  Scores scores;
  std::optional<NpyFile> file;
  if (logits_path)
    file.emplace(*logits_path, static_cast<std::int64_t>(ids.size()), model.info().vocab_size);
  const std::size_t last = ids.size() - 1;
  visit_logits(
      model, std::span(ids).first(file ? ids.size() : last),
      [&](std::size_t i, std::span<const float> logits) {
        const double normaliser = require_finite(log_sum_exp(logits), model);
        if (file) file->append(logits);
        if (i == last) return;
        const float logit = logits[static_cast<std::size_t>(ids[i + 1])];
        scores.values.push_back(require_finite(normaliser - static_cast<double>(logit), model));
        if (options.confirm)
          scores.confirmations.push_back(
              confirmation(static_cast<std::int64_t>(i) + 1, ids[i + 1], logits));
      });
  if (file) file->finish();
  return scores;
}

/// @param path  nothing: standard input
std::string read_text(const std::optional<std::string>& path) {
  if (!path) return StandardInput().rest();
  try {
    return read_file(*path);
  } catch (const DataError& error) {
    throw ConfigError(fmt::format("--file: {}", error.what()));
  }
}

/// @param where  file, prompt or standard input, for the message
std::vector<Token> ids_of_text(const std::string& where, const std::string& text,
                               const engines::LoadedModel& loaded) {
  const engines::Tokenizer& tokenizer =
      tokenizer_of(loaded, "this model has no tokenizer; give the ids with --prompt-ids 1,2,3");
  check_text_size(where, text.size(), loaded.model->info());
  warn_of_dropped_bytes(tokenizer.num_bytes_without_token(text));
  return tokenizer.encode_whole(text);
}

/// @param where  file or option, for the message
void check_ids(const std::string& where, const std::vector<Token>& ids,
               const engines::ModelInfo& model) {
  if (ids.size() < 2)
    throw ConfigError(fmt::format("{}: {} tokens; allowed: at least 2", where, ids.size()));
  if (ids.size() > static_cast<std::size_t>(model.context_length))
    throw ConfigError(fmt::format("{}: {} tokens; allowed: at most the context of {}; shorten it",
                                  where, ids.size(), model.context_length));
  for (const Token id : ids)
    if (id < 0 || id >= model.vocab_size)
      throw ConfigError(
          fmt::format("{}: id {}; allowed: 0 to {}", where, id, model.vocab_size - 1));
}

/// @param prompt  whose text it is, in a list of prompts; null for a text by itself
void print_scores(const std::vector<Token>& ids, const Scores& scores, const ScoreOptions& options,
                  const engines::LoadedModel& loaded, const Prompt* prompt = nullptr) {
  const std::vector<double>& values = scores.values;
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  if (options.common.json) {
    nlohmann::ordered_json object;
    if (prompt) object = {{"prompt_id", prompt->id}, {"category", prompt->category}};
    object.update(nlohmann::ordered_json{{"ids", ids},
                                         {"tokens", values.size()},
                                         {"mean_negative_log_likelihood", mean},
                                         {"values", values}});
    if (options.confirm) object.update(confirmations_json(scores.confirmations));
    fmt::print("{}\n", object.dump());
  } else {
    if (prompt) fmt::print("{} ({}): ", prompt->id, prompt->category);
    fmt::print("{} tokens scored; mean negative log-likelihood {:.6f} nats; perplexity {:.4f}\n",
               values.size(), mean, std::exp(mean));
    if (options.confirm) print_confirmations(scores.confirmations, loaded.tokenizer.get());
  }
}

/// What is read must not be written over.
void check_logits_file(const engines::Engines& engines, const ScoreOptions& options) {
  refuse_file_of_model(engines, "--logits", *options.logits, options.common.model.model);
  std::error_code none;
  if (options.file && std::filesystem::equivalent(*options.file, *options.logits, none))
    throw ConfigError(fmt::format("--logits {}: the text that is scored; choose another name",
                                  escaped(*options.logits, 200)));
}

/// All prompts are checked before the first is scored.
void score_prompts(const ScoreOptions& options, const engines::LoadedModel& loaded,
                   const std::vector<Prompt>& prompts) {
  std::vector<std::vector<Token>> texts;
  for (const Prompt& prompt : prompts) {
    const std::string where = "prompt " + prompt.id;
    texts.push_back(ids_of_text(where, prompt.text, loaded));
    check_ids(where, texts.back(), loaded.model->info());
  }
  for (std::size_t i = 0; i < texts.size(); ++i)
    print_scores(texts[i], score(*loaded.model, texts[i], options), options, loaded, &prompts[i]);
}

}  // namespace

int run_score(const ScoreOptions& options) {
  std::vector<Prompt> prompts;
  if (options.prompts.set) prompts = read_prompt_list(options.prompts);
  const bool reads_text = !options.prompt_ids && !options.prompts.set;
  const std::string where =
      options.prompt_ids ? "--prompt-ids" : options.file.value_or("standard input");
  // A wrong path is told before a model is loaded.
  const std::string text = reads_text ? read_text(options.file) : "";
  const auto engines = open_engines();
  if (options.logits) check_logits_file(*engines, options);
  const engines::LoadedModel loaded = load_with_note(*engines, options.common.model);
  if (options.prompts.set) {
    score_prompts(options, loaded, prompts);
    return 0;
  }
  if (options.prompt_ids) note_missing_text(loaded);
  const std::vector<Token> ids =
      options.prompt_ids ? parse_prompt_ids(*options.prompt_ids) : ids_of_text(where, text, loaded);
  check_ids(where, ids, loaded.model->info());
  print_scores(ids, score(*loaded.model, ids, options), options, loaded);
  return 0;
}

}  // namespace speclab::experiments
