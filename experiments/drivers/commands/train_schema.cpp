#include "experiments/drivers/commands/train_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "engines/interface/names.h"
#include "engines/interface/sampling_options.h"
#include "experiments/drivers/plan/chat_prompt.h"

namespace speclab::experiments {
namespace {

using Kinds = std::vector<std::string>;

const Kinds kTrainedByStep{"small_transformer", "feature_transformer", "mlp_speculator", "language_model"}, kSmall{"small_transformer", "language_model"}, kSmallDrafter{"small_transformer"}, kFeature{"feature_transformer"}, kMlp{"mlp_speculator"},
    kReadHidden{"feature_transformer", "mlp_speculator"}, kCutText{"feature_transformer", "mlp_speculator", "language_model"}, kNgram{"ngram"};

constexpr std::array kPaths{"output", "cache_file", "prompts", "files", "held_out_files", "start_from", "vocabulary_from"};

std::string kinds_text(const Kinds& kinds) { return fmt::format("{}", fmt::join(kinds, ", ")); }

std::vector<TrainKey> common_keys() {
  return {
      {{{"drafter", "kind", "`small_transformer`: Llama-shaped, the target's vocabulary; `feature_transformer`: of the target's width, with its embedding table and rows of its head, one layer or more, reading the target's hidden state beside every token (EAGLE) and trained on its own states some tokens deep (HASS), which `feature_transformer` and `lookup_transformer` draft with, this folder as `model`; `mlp_speculator`: stages behind the target's last hidden state, one a drafted token (IBM); `ngram`: counts; `language_model`: a model of its own, Llama-shaped, on the bytes of text files, with a tokenizer beside it: target or drafter (`small_transformer` with this folder as `model`) of others so trained", "", {}, {engines::kTrainedDrafterKinds.begin(), engines::kTrainedDrafterKinds.end()}, "", ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.drafter; }}, {}},
      {{{"drafter", "output", "folder of the drafter", "", {}, {}, "", "none, or --output"}, [](TrainConfig& c) -> ValueOfKey { return &c.options.output; }}, {}},
  };
}

std::vector<TrainKey> transformer_keys() {
  return {
      {{{"drafter", "batch", "texts a step", "", {.low = 1}, {}, kinds_text(kTrainedByStep), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.schedule.batch; }}, kTrainedByStep},
      {{{"drafter", "optimiser", "`adamw`; `muon`: orthogonalised momentum for the matrices between states, AdamW for tables and norms, in steps of the same size", "", {}, {engines::kOptimisers.begin(), engines::kOptimisers.end()}, kinds_text(kTrainedByStep), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.schedule.optimiser; }}, kTrainedByStep},
      {{{"drafter", "learning_rate", "peak of the schedule", "", {.low = 0, .high = 1, .above_low = true}, {}, kinds_text(kTrainedByStep), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.schedule.learning_rate; }}, kTrainedByStep},
      {{{"drafter", "rate_schedule", "of the learning rate: `cosine`: warmed up over 3 % of the steps, then a half cosine to 0; `parabola_cosine`: as IBM's speculators are trained, a parabola over a twentieth of the steps (at most 2,000) up to a cosine that ends at a tenth", "", {}, {engines::kRateSchedules.begin(), engines::kRateSchedules.end()}, kinds_text(kTrainedByStep), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.schedule.rate_schedule; }}, kTrainedByStep},
      {{{"drafter", "weight_decay", "of all but norms, a step and unit of the learning rate", "", {.low = 0, .high = 10}, {}, kinds_text(kTrainedByStep), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.schedule.weight_decay; }}, kTrainedByStep},
      {{{"drafter", "epochs", "passes over the texts", "", {.low = 1}, {}, kinds_text(kTrainedByStep), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.schedule.epochs; }}, kTrainedByStep},
      {{{"drafter", "validation_sequences", "held out with all texts of their prompts; of text files the most stretches of `held_out_files`", "", {.low = 1}, {}, kinds_text(kTrainedByStep), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.schedule.validation_sequences; }}, kTrainedByStep},
      {{{"drafter", "seed", "of the weights and of the order of the texts", "", {}, {}, kinds_text(kTrainedByStep), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.schedule.seed; }}, kTrainedByStep},
      {{{"drafter", "dtype", "of factors and results of the layers' products, of drafters that read hidden states those with the vocabulary too; `auto`: bfloat16 on CUDA, and where the processor multiplies it", "", {}, {engines::kTrainingDtypes.begin(), engines::kTrainingDtypes.end()}, kinds_text(kTrainedByStep), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.schedule.dtype; }}, kTrainedByStep},
      {{{"drafter", "device", "where the drafter is trained; the target makes and reads texts on its own device. `cuda` needs a build with a libtorch that has it, and only `cpu` is sure to resume to the same bits", "", {}, {engines::kTrainingDevices.begin(), engines::kTrainingDevices.end()}, kinds_text(kTrainedByStep), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.schedule.device; }}, kTrainedByStep},
      {{{"drafter", "hidden_size", "width of the model", "", {.low = 1, .multiple_of = 16}, {}, kinds_text(kSmall), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.small_transformer.hidden_size; }}, kSmall},
      {{{"drafter", "num_layers", "of the model", "layers", {.low = 1}, {}, kinds_text(kSmall), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.small_transformer.num_layers; }}, kSmall},
      {{{"drafter", "num_heads", "attention heads, each as wide as a multiple of 16", "heads", {.low = 1}, {}, kinds_text(kSmall), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.small_transformer.num_heads; }}, kSmall},
      {{{"drafter", "intermediate_size", "width of the feed-forward part", "", {.low = 1, .multiple_of = 16}, {}, kinds_text(kSmall), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.small_transformer.intermediate_size; }}, kSmall},
      {{{"drafter", "num_layers", "of the model", "layers", {.low = 1}, {}, kinds_text(kFeature), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.feature_transformer.num_layers; }}, kFeature},
      {{{"drafter", "intermediate_size", "width of the feed-forward part", "", {.low = 1, .multiple_of = 16}, {}, kinds_text(kFeature), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.feature_transformer.intermediate_size; }}, kFeature},
      {{{"drafter", "draft_vocabulary", "tokens that it can draft: those with the most weight in its training text; 0: all, and then its head reads as many rows as the target's", "tokens", {.low = 0}, {}, kinds_text(kSmallDrafter), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.small_transformer.draft_vocabulary; }}, kSmallDrafter},
      {{{"drafter", "draft_vocabulary", "tokens that it can draft: those with the most weight in its training text", "tokens", {.low = 1}, {}, kinds_text(kReadHidden), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.distillation.draft_vocabulary; }}, kReadHidden},
      {{{"drafter", "vocabulary_from", "folder of a drafter of the same target, relative to the working directory, whose draft vocabulary it takes, which must be as large as `draft_vocabulary`; not with `start_from`", "", {}, {}, kinds_text(kReadHidden), "none: of its training text"}, [](TrainConfig& c) -> ValueOfKey { return &c.options.distillation.vocabulary_from; }}, kReadHidden},
      {{{"drafter", "start_from", "folder of a trained one of the same target to go on from, relative to the working directory: with its draft vocabulary, which must be as large as `draft_vocabulary`, and its shape", "", {}, {}, kinds_text(kReadHidden), "none: random weights"}, [](TrainConfig& c) -> ValueOfKey { return &c.options.distillation.start_from; }}, kReadHidden},
      {{{"drafter", "loss", "against the target's law p at temperature 1 of the drafter's q: `tokens`: cross-entropy of the emitted token; `forward_kl`: KL(p, q); `reverse_kl`: KL(q, p); `total_variation`: 1 - sum of min(p, q), what is rejected", "", {}, {engines::kLosses.begin(), engines::kLosses.end()}, kinds_text(kReadHidden), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.distillation.loss; }}, kReadHidden},
      {{{"drafter", "num_heads", "stages, one a drafted token", "stages", {.low = 1, .high = 16}, {}, kinds_text(kMlp), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.mlp_speculator.num_heads; }}, kMlp},
      {{{"drafter", "inner_size", "width of the stages", "", {.low = 16, .high = 65536, .multiple_of = 16}, {}, kinds_text(kMlp), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.mlp_speculator.inner_size; }}, kMlp},
      {{{"drafter", "is_tied", "one embedding, head and norm for all stages, one projection for all but the first", "", {}, {}, kinds_text(kMlp), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.mlp_speculator.is_tied; }}, kMlp},
      {{{"drafter", "scales_input", "the target's state is normed and divided by the root of 2", "", {}, {}, kinds_text(kMlp), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.mlp_speculator.scales_input; }}, kMlp},
      {{{"drafter", "reads_layers", "beside the target's last hidden state what stands behind its first and second third of layers (EAGLE-3)", "", {}, {}, kinds_text(kFeature), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.feature_transformer.reads_layers; }}, kFeature},
      {{{"drafter", "unrolled_steps", "drafted tokens in a row that it is trained on", "tokens", {.low = 1, .high = 16}, {}, kinds_text(kFeature), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.feature_transformer.unrolled_steps; }}, kFeature},
      {{{"drafter", "step_weight", "what each further one weighs", "", {.low = 0, .high = 1, .above_low = true}, {}, kinds_text(kFeature), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.feature_transformer.step_weight; }}, kFeature},
      {{{"drafter", "feature_weight", "of the squared distance to the target's next state, relative to that state", "", {.low = 0, .high = 100}, {}, kinds_text(kFeature), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.feature_transformer.feature_weight; }}, kFeature},
  };
}

std::vector<TrainKey> ngram_keys() {
  return {
      {{{"drafter", "order", "longest n-gram", "tokens", {.low = 1, .high = 5}, {}, kinds_text(kNgram), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.ngram.order; }}, kNgram},
      {{{"drafter", "max_successors", "kept of a context, and in a law: the most likely", "tokens", {.low = 1, .high = 255}, {}, kinds_text(kNgram), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.ngram.max_successors; }}, kNgram},
      {{{"drafter", "min_occurrences", "n-grams of three and more tokens that occur less often are dropped", "", {.low = 1, .high = 1'000'000}, {}, kinds_text(kNgram), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.ngram.min_occurrences; }}, kNgram},
      {{{"drafter", "validation_sequences", "of the own text, the first: held out with all texts of their prompts, for perplexity and acceptance (mean sum of min(p, q) at temperature 1; the target's law is kept as its 32 most likely tokens, so it is a lower bound)", "", {.low = 0}, {}, kinds_text(kNgram), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.ngram.validation_sequences; }}, kNgram},
  };
}

std::vector<TrainKey> text_keys() {
  return {
      {{{"target", "model", "whose own text is made and whose tokens are drafted", "", {}, {}, "", ""}, [](TrainConfig& c) -> ValueOfKey { return &c.target.model; }}, {}},
      {{{"target", "dtype", "number format of the weights", "", {}, {"auto", "float32", "bfloat16"}, "", ""}, [](TrainConfig& c) -> ValueOfKey { return &c.target.dtype; }}, {}},
      {{{"target", "chat_template", "`off` gives prompts as they are", "", {}, kChatTemplates, "", ""}, [](TrainConfig& c) -> ValueOfKey { return &c.chat_template; }}, {}},
      {{{"own_text", "prompts", "lists that prompts are made of, relative to the config", "", {}, {}, "", ""}, [](TrainConfig& c) -> ValueOfKey { return &c.prompt_file; }}, {}},
      {{{"own_text", "num_prompts", "made of the lists", "prompts", {.low = 1, .high = 1'000'000}, {}, "", ""}, [](TrainConfig& c) -> ValueOfKey { return &c.num_prompts; }}, {}},
      {{{"own_text", "temperatures", "in turn, 0 is greedy", "", {.low = 0, .high = 100, .gap = engines::kLeastTemperature}, {}, "", ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.own_text.temperatures; }}, {}},
      {{{"own_text", "max_new_tokens", "a text", "tokens", {.low = 1}, {}, "", ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.own_text.max_new_tokens; }}, {}},
      {{{"own_text", "batch", "texts made together", "", {.low = 1}, {}, "", ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.own_text.batch; }}, {}},
      {{{"own_text", "seed", "keys the random streams", "", {}, {}, "", ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.own_text.seed; }}, {}},
      {{{"own_text", "cache_file", "where finished batches are kept", "", {}, {}, "", "in the user cache"}, [](TrainConfig& c) -> ValueOfKey { return &c.options.own_text.cache_file; }}, {}},
      {{{"text", "files", "UTF-8 text files, relative to the config; without a table `[own_text]` they are all there is. N-grams are counted in them beside own text; for drafters that read hidden states the target reads them in place of own text; a language model learns from nothing else. Empty files, binary ones and those shorter than an n-gram or a stretch are refused before anything is made", "", {}, {}, "", "none"}, [](TrainConfig& c) -> ValueOfKey { return &c.options.text.files; }}, {}},
      {{{"text", "held_out_files", "files to measure on: perplexity is printed and noted of n-grams, validation of the others, which need one at least", "", {}, {}, "", "none"}, [](TrainConfig& c) -> ValueOfKey { return &c.options.text.held_out_files; }}, {}},
      {{{"text", "sequence_length", "of the stretches that the target reads, or a language model", "tokens", {.low = 3}, {}, kinds_text(kCutText), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.text.sequence_length; }}, kCutText},
      {{{"text", "max_sequences", "stretches to train on, as many of each file as it has, spread evenly over it; 0: all", "", {.low = 0}, {}, kinds_text(kCutText), ""}, [](TrainConfig& c) -> ValueOfKey { return &c.options.text.max_sequences; }}, kCutText},
      {{{"text", "cache_file", "where what the target read is kept", "", {}, {}, kinds_text(kReadHidden), "in the user cache, a file for these files and numbers"}, [](TrainConfig& c) -> ValueOfKey { return &c.options.text.cache_file; }}, kReadHidden},
  };
}

/// A language model has neither a target nor text of one.
bool has_key(const TrainConfig& config, const TrainKey& key) {
  const bool is_of_kind = key.kinds.empty() || engines::is_among(config.options.drafter, key.kinds);
  return is_of_kind && !(config.is_language_model() && (key.table == "target" || key.table == "own_text"));
}

}  // namespace

const std::vector<TrainKey>& train_keys() {
  static const std::vector<TrainKey> all = [] {
    std::vector<TrainKey> keys;
    for (const auto& part : {common_keys(), transformer_keys(), ngram_keys(), text_keys()}) keys.insert(keys.end(), part.begin(), part.end());
    return keys;
  }();
  return all;
}

Provenance effective_train_config(const TrainConfig& config) {
  TrainConfig copy = config;
  Provenance keys;
  for (const TrainKey& key : train_keys())
    if (has_key(config, key) && !engines::is_among(key.key, kPaths)) keys.emplace_back(key.table + "." + key.key, value_text(key.value(copy)));
  return keys;
}

std::vector<DescribedKey> described_train_keys() { return described(train_keys(), TrainConfig{}); }

}  // namespace speclab::experiments
