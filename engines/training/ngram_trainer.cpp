#include "engines/training/ngram_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engines/drafters/ngram_laws.h"
#include "engines/ngrams/ngram_estimation.h"
#include "engines/ngrams/ngram_file.h"
#include "engines/training/manifest.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/sha256.h"

namespace speclab::engines {
namespace {

/// Sum of min(p, q) over what is known of p.
double overlap(const TopLaw& target, const Law& draft) {
  double sum = 0;
  for (std::size_t i = 0; i < TopLaw::kSize; ++i)
    sum += static_cast<double>(std::min(target.probabilities[i], draft[target.tokens[i]]));
  return sum;
}

using nlohmann::ordered_json;

/// Emitted tokens, behind the end of their prompts; prompts are not the target's own text.
std::vector<NgramText> training_texts(std::span<const OwnText* const> own, const Corpora& corpora) {
  std::vector<NgramText> texts;
  for (const OwnText* text : own)
    texts.push_back({text->tokens, static_cast<std::size_t>(text->prompt_length)});
  for (const Corpus& corpus : corpora.training) texts.push_back({corpus.tokens, 0});
  return texts;
}

std::int64_t num_counted(std::span<const NgramText> texts) {
  std::int64_t tokens = 0;
  for (const NgramText& text : texts)
    tokens += static_cast<std::int64_t>(text.tokens.size() - text.first);
  return tokens;
}

ordered_json manifest_of(const NgramModel& model, const ModelInfo& target,
                         const TrainOptions& options, const Corpora& corpora) {
  ordered_json manifest{{"kind", "ngram"},
                        {"order", model.order()},
                        {"max_successors", model.max_successors()},
                        {"min_occurrences", options.ngram.min_occurrences},
                        {"smoothing", "interpolated modified Kneser-Ney"},
                        {"ngrams", model.num_ngrams()},
                        {"target", target.name},
                        {"target_sha256", target.sha256}};
  add_version(options.output, manifest);
  if (!options.own_text.prompts.empty())
    manifest["own_text"] = own_text_json(options.own_text, options.ngram.validation_sequences);
  if (!corpora.training.empty()) manifest["text"] = text_json(corpora.training);
  return manifest;
}

/// Reports a score, and notes it in the manifest.
void add_score(const HeldOutScore& score, const std::string& source, const TrainCallback& progress,
               ordered_json& manifest) {
  progress({.phase = "validate",
            .source = source,
            .fraction = 1,
            .loss = score.loss,
            .acceptance_rate = score.acceptance_rate,
            .acceptance_name = "acceptance_rate_at_least",
            .greedy_agreement = score.greedy_agreement,
            .tokens = score.tokens});
  ordered_json row{{"source", std::filesystem::path(source).filename().string()},
                   {"tokens", score.tokens},
                   {"loss_nats", score.loss}};
  if (score.acceptance_rate) row["acceptance_rate_at_least"] = *score.acceptance_rate;
  if (score.greedy_agreement) row["greedy_agreement"] = *score.greedy_agreement;
  manifest["held_out"].push_back(row);
}

}  // namespace

HeldOutScore held_out_score(const NgramModel& model, std::span<const Token> text) {
  HeldOutScore score{.tokens = static_cast<std::int64_t>(text.size())};
  for (std::size_t i = 0; i < text.size(); ++i)
    score.loss -= std::log(model.probability(text.first(i), text[i]));
  score.loss /= static_cast<double>(text.size());
  return score;
}

HeldOutScore held_out_score(const std::shared_ptr<const NgramModel>& model,
                            std::span<const OwnText* const> texts) {
  NgramLaws laws(model, 1.0), greedy(model, 0.0);
  HeldOutScore score;
  double accepted = 0, agreed = 0;
  Law law;
  for (const OwnText* text : texts)
    for (std::size_t i = 0; i < text->laws.size(); ++i, ++score.tokens) {
      const std::span context =
          std::span(text->tokens).first(static_cast<std::size_t>(text->prompt_length) + i);
      score.loss -= std::log(model->probability(context, text->tokens[context.size()]));
      laws.set_context(context);
      laws.fill(law);
      accepted += overlap(text->laws[i], law);
      greedy.set_context(context);
      greedy.fill(law);
      agreed += law.arg_max() == text->laws[i].tokens[0];
    }
  const auto total = static_cast<double>(score.tokens);
  return {score.tokens, score.loss / total, accepted / total, agreed / total};
}

void train_ngrams(const ModelInfo& target, const std::vector<OwnText>& texts,
                  const Corpora& corpora, const TrainOptions& options,
                  const TrainCallbacks& callbacks) {
  const TextSplit own =
      split_texts(texts, static_cast<std::size_t>(options.ngram.validation_sequences));
  const std::vector<NgramText> training = training_texts(own.training, corpora);
  callbacks.progress({.phase = "count", .tokens = num_counted(training)});
  if (num_counted(training) == 0)
    throw DataError("no token is left to count; add prompts, or hold out fewer texts");
  callbacks.check();
  const auto model = std::make_shared<const NgramModel>(
      estimate_ngrams(training, target.vocab_size, options.ngram));
  make_folder(options.output);
  save_ngrams(*model, options.output + "/ngram.bin");
  ordered_json manifest = manifest_of(*model, target, options, corpora);
  manifest["tokens"] = num_counted(training);
  manifest["sha256"] = sha256_file(options.output + "/ngram.bin");
  if (!own.held_out.empty())
    add_score(held_out_score(model, own.held_out), "own text", callbacks.progress, manifest);
  for (const Corpus& corpus : corpora.held_out)
    add_score(held_out_score(*model, corpus.tokens), corpus.file, callbacks.progress, manifest);
  add_provenance(options.config, ordered_json::array({texts_json(options.provenance)}), manifest);
  write_file(options.output + "/manifest.json", text_of(manifest) + "\n");
}

}  // namespace speclab::engines
