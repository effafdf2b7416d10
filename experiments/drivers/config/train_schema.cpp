#include "experiments/drivers/config/train_schema.h"

#include <array>

#include "engines/interface/names.h"
#include "engines/interface/sampling_options.h"
#include "experiments/drivers/prompts/chat_prompt.h"

namespace speclab::experiments {
namespace {

/// Short names must not reach other files of a unity build.
namespace train_rows {

using C = TrainConfig;
using Options = engines::TrainOptions;
using OwnText = engines::OwnTextOptions;
using Text = engines::TextOptions;
using Schedule = engines::TrainingSchedule;
using Small = engines::SmallTransformerOptions;
using Feature = engines::FeatureTransformerOptions;
using Mlp = engines::MlpSpeculatorOptions;
using Distillation = engines::DistillationOptions;
using Ngram = engines::NgramOptions;
using Kinds = std::vector<std::string>;

template <auto Question>
Kinds kinds_that() {
  const auto& names = engines::kNamesOf<engines::kTrainers, Question>;
  return {names.begin(), names.end()};
}

using engines::TrainerTraits;
const Kinds kTrainedByStep = kinds_that<&TrainerTraits::steps>(),
            kSmall = kinds_that<&TrainerTraits::makes_small_transformer>(),
            kFeature = kinds_that<&TrainerTraits::makes_feature_layers>(),
            kMlp = kinds_that<&TrainerTraits::makes_stages>(),
            kReadHidden = kinds_that<&TrainerTraits::reads_states>(),
            kCutText = kinds_that<&TrainerTraits::cuts_text>(),
            kNgram = kinds_that<&TrainerTraits::counts>();

const KeysOf<C, &C::options> drafter{"drafter"};
const KeysOf<C, &C::options, &Options::schedule> schedule{"drafter", kTrainedByStep};
const KeysOf<C, &C::options, &Options::small_transformer> transformer{"drafter", kSmall};
const KeysOf<C, &C::options, &Options::feature_transformer> feature{"drafter", kFeature};
const KeysOf<C, &C::options, &Options::distillation> distillation{"drafter", kReadHidden};
const KeysOf<C, &C::options, &Options::mlp_speculator> mlp{"drafter", kMlp};
const KeysOf<C, &C::options, &Options::ngram> ngram{"drafter", kNgram};
const KeysOf<C, &C::target> target{"target"};
const KeysOf<C> target_prompt{"target"}, prompts{"own_text"};
const KeysOf<C, &C::options, &Options::own_text> own_text{"own_text"};
const KeysOf<C, &C::options, &Options::text> text{"text"};

const std::vector<TrainKey> kKeys{
    drafter(
        "kind", &Options::drafter,
        "`small_transformer` has the shape of Llama and the target's vocabulary. "
        "`feature_transformer` has the target's width, its embedding table and rows of its head. "
        "Its layers read the target's hidden state beside every token (EAGLE) and learn from their "
        "own states some tokens deep (HASS). `feature_transformer` and `lookup_transformer` draft "
        "with it if their `model` is this folder. `mlp_speculator` has stages behind the target's "
        "last hidden state, one for each drafted token (IBM). `ngram` counts. `language_model` is "
        "a Llama-shaped model of the bytes of text files, with a tokenizer beside it. It can be "
        "the target, or the `small_transformer` drafter, of others that were trained so")
        .one_of(engines::kTrainedDrafterKinds),
    drafter(
        "output", &Options::output,
        "folder of the drafter, relative to the config. A training writes its next version there: "
        "`v1`, `v2` and so on")
        .shown_as("none, or --output"),
    schedule("batch", &Schedule::batch, "texts of one step").at_least(1),
    schedule("optimiser", &Schedule::optimiser,
             "`adamw`; `muon`: orthogonalised momentum for the matrices between states, and AdamW "
             "for tables and norms, in steps of equal size")
        .one_of(engines::kOptimisers),
    schedule("learning_rate", &Schedule::learning_rate, "peak of the schedule")
        .within({.low = 0, .high = 1, .above_low = true}),
    schedule("rate_schedule", &Schedule::rate_schedule,
             "course of the learning rate. `cosine` warms up over 3 % of the steps, then falls "
             "along a half cosine to 0. `parabola_cosine` is IBM's: a parabola over a twentieth of "
             "the steps (at most 2,000), then a cosine down to a tenth")
        .one_of(engines::kRateSchedules),
    schedule("weight_decay", &Schedule::weight_decay,
             "decay a step and unit of the learning rate, for all weights but norms")
        .from(0, 10),
    schedule("epochs", &Schedule::epochs, "passes over the texts").at_least(1),
    schedule("validation_sequences", &Schedule::validation_sequences,
             "texts held out for validation, with all texts of their prompts. With text files: the "
             "most stretches taken from `held_out_files`")
        .at_least(1),
    schedule("seed", &Schedule::seed, "seed of the weights and of the order of the texts"),
    schedule("dtype", &Schedule::dtype,
             "number format of the layers' products; drafters that read hidden states multiply "
             "with the vocabulary in it too. `auto`: bfloat16 on CUDA and on processors that "
             "multiply it, else float32")
        .one_of(engines::kTrainingDtypes),
    schedule("device", &Schedule::device,
             "device that trains the drafter; the target makes and reads texts on its own device. "
             "`cuda` needs a build with a libtorch that has it. Only `cpu` is sure to resume to "
             "equal bits")
        .one_of(engines::kTrainingDevices),
    transformer("hidden_size", &Small::hidden_size, "width of the model")
        .within({.low = 1, .multiple_of = 16}),
    transformer("num_layers", &Small::num_layers, "layers of the model").in("layers").at_least(1),
    transformer("num_heads", &Small::num_heads, "attention heads, each as wide as a multiple of 16")
        .in("heads")
        .at_least(1),
    transformer("intermediate_size", &Small::intermediate_size, "width of the feed-forward part")
        .within({.low = 1, .multiple_of = 16}),
    feature("num_layers", &Feature::num_layers, "layers of the model").in("layers").at_least(1),
    feature("intermediate_size", &Feature::intermediate_size, "width of the feed-forward part")
        .within({.low = 1, .multiple_of = 16}),
    transformer("draft_vocabulary", &Small::draft_vocabulary,
                "number of tokens that it can draft: those with the most weight in its training "
                "text. 0 takes all, and its head then reads as many rows as the target's")
        .in("tokens")
        .at_least(0)
        .only(kinds_that<&TrainerTraits::is_small_drafter>()),
    distillation(
        "draft_vocabulary", &Distillation::draft_vocabulary,
        "number of tokens that it can draft: those with the most weight in its training text")
        .in("tokens")
        .at_least(1),
    distillation("vocabulary_from", &Distillation::vocabulary_from,
                 "folder of a drafter of the same target that lends its draft vocabulary, relative "
                 "to the config. Its size must be `draft_vocabulary`. It excludes `start_from`")
        .shown_as("none: of its training text"),
    distillation(
        "start_from", &Distillation::start_from,
        "folder of a trained drafter of the same target to continue from, relative to the config. "
        "Its shape is taken, and its draft vocabulary, whose size must be `draft_vocabulary`")
        .shown_as("none: random weights"),
    distillation("loss", &Distillation::loss,
                 "distance of the drafter's law q from the target's p at temperature 1. `tokens`: "
                 "cross-entropy of the emitted token; `forward_kl`: KL(p, q); `reverse_kl`: KL(q, "
                 "p); `total_variation`: 1 - sum of min(p, q), the rejected share")
        .one_of(engines::kLosses),
    mlp("num_heads", &Mlp::num_heads, "number of stages, one for each drafted token")
        .in("stages")
        .from(1, 16),
    mlp("inner_size", &Mlp::inner_size, "width of the stages")
        .within({.low = 16, .high = 65536, .multiple_of = 16}),
    mlp("is_tied", &Mlp::is_tied,
        "one embedding, head and norm for all stages, one projection for all but the first"),
    mlp("scales_input", &Mlp::scales_input,
        "the target's state is normed and divided by the root of 2"),
    feature("reads_layers", &Feature::reads_layers,
            "reads the states behind the first and second third of the target's layers too, beside "
            "the last one (EAGLE-3)"),
    feature("unrolled_steps", &Feature::unrolled_steps,
            "number of drafted tokens in a row that it is trained on")
        .in("tokens")
        .from(1, 16),
    feature("step_weight", &Feature::step_weight,
            "weight of each further token, relative to the one before")
        .within({.low = 0, .high = 1, .above_low = true}),
    feature("feature_weight", &Feature::feature_weight,
            "weight of the squared distance to the target's next state, relative to that state")
        .from(0, 100),

    ngram("order", &Ngram::order, "longest n-gram").in("tokens").from(1, 5),
    ngram("max_successors", &Ngram::max_successors,
          "number of most likely tokens that are kept for a context and in a law")
        .in("tokens")
        .from(1, 255),
    ngram("min_occurrences", &Ngram::min_occurrences,
          "n-grams of three and more tokens that occur less often are dropped")
        .from(1, 1'000'000),
    ngram(
        "validation_sequences", &Ngram::validation_sequences,
        "number of first texts of the own text that are held out, with all texts of their prompts. "
        "They measure perplexity and acceptance: the mean sum of min(p, q) at temperature 1. It is "
        "a lower bound, because the target's law is kept as its 32 most likely tokens")
        .at_least(0),

    target("model", &engines::ModelOptions::model,
           "the target: it makes its own text, and the drafter proposes tokens to it"),
    target("dtype", &engines::ModelOptions::dtype, "number format of the weights")
        .one_of({"auto", "float32", "bfloat16"}),
    target_prompt("chat_template", &C::chat_template, "`off` gives prompts without a template")
        .one_of(kChatTemplates),
    prompts("prompts", &C::prompt_file,
            "file of lists that make up prompts, relative to the config"),
    prompts("num_prompts", &C::num_prompts, "number of prompts made from the lists")
        .in("prompts")
        .from(1, 1'000'000),
    prompts("longest_prompt", &C::longest_prompt,
            "prompts of more tokens are left out. 0 leaves none out, and a prompt that is too long "
            "for the target's context is then refused")
        .in("tokens")
        .at_least(0),
    own_text("temperatures", &OwnText::temperatures, "temperatures taken in turn; 0 is greedy")
        .within({.low = 0, .high = 100, .gap = engines::kLeastTemperature}),
    own_text("max_new_tokens", &OwnText::max_new_tokens, "length of a text")
        .in("tokens")
        .at_least(1),
    own_text("batch", &OwnText::batch, "texts made together").at_least(1),
    own_text("seed", &OwnText::seed, "keys the random streams"),
    own_text("cache_file", &OwnText::cache_file, "file that keeps finished batches")
        .shown_as("in the user cache, a file for this target and these numbers"),
    text("files", &Text::files,
         "UTF-8 text files, relative to the config. Without a table `[own_text]` they are the only "
         "text. N-grams are counted in them beside own text. For drafters that read hidden states, "
         "the target reads them instead of own text. A language model learns from nothing else. "
         "Empty and binary files are refused before anything is made, and so are files shorter "
         "than an n-gram or a stretch")
        .shown_as("none"),
    text("held_out_files", &Text::held_out_files,
         "files for validation only. N-grams note their perplexity on them; the other kinds need "
         "at least one")
        .shown_as("none"),
    text("sequence_length", &Text::sequence_length,
         "length of the stretches that the target or a language model reads")
        .in("tokens")
        .at_least(3)
        .only(kCutText),
    text("max_sequences", &Text::max_sequences,
         "number of stretches to train on, spread evenly over the files; 0 takes all")
        .at_least(0)
        .only(kCutText),
    text("cache_file", &Text::cache_file, "file that keeps the target's laws and states")
        .only(kReadHidden)
        .shown_as("in the user cache, a file for this target, these files and numbers"),
};

}  // namespace train_rows

constexpr std::array kPaths{"output",         "cache_file", "prompts",        "files",
                            "held_out_files", "start_from", "vocabulary_from"};

/// A language model has neither a target nor text of one.
bool has_key(const TrainConfig& config, const TrainKey& key) {
  const bool is_of_kind = key.kinds.empty() || engines::is_among(config.options.drafter, key.kinds);
  return is_of_kind &&
         !(config.is_language_model() && (key.table == "target" || key.table == "own_text"));
}

}  // namespace

const std::vector<TrainKey>& train_keys() { return train_rows::kKeys; }

Provenance effective_train_config(const TrainConfig& config) {
  TrainConfig copy = config;
  Provenance keys;
  for (const TrainKey& key : train_keys())
    if (has_key(config, key) && !engines::is_among(key.key, kPaths))
      keys.emplace_back(key.table + "." + key.key, value_text(key.value(copy)));
  return keys;
}

std::vector<DescribedKey> described_train_keys() { return described(train_keys()); }

}  // namespace speclab::experiments
