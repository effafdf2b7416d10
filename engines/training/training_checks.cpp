#include "engines/training/train_drafter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "engines/interface/names.h"
#include "engines/interface/sampling_options.h"
#include "engines/ngrams/ngram_estimation.h"
#include "engines/training/draft_tokens.h"
#include "engines/training/own_text.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

void check(bool valid, const char* field, double value, const std::string& allowed) {
  if (!valid || !std::isfinite(value))
    throw ConfigError(fmt::format("{} = {}; allowed: {}", field, value, allowed));
}

void check_name(const std::string& name, const char* field, const auto& allowed) {
  if (!is_among(name, allowed))
    throw ConfigError(
        fmt::format("{} = '{}'; allowed: {}", field, escaped(name), fmt::join(allowed, ", ")));
}

/// A prompt that leaves no room for its answer would stop the making of text after hours.
void check_prompts(const OwnTextOptions& own_text, const ModelInfo& target) {
  check(target.vocab_size >= static_cast<std::int32_t>(TopLaw::kSize), "the target's vocabulary",
        target.vocab_size,
        fmt::format("at least {} tokens, as many as are kept of its laws", TopLaw::kSize));
  const std::int64_t room = std::int64_t{target.context_length} - own_text.max_new_tokens;
  for (std::size_t i = 0; i < own_text.prompts.size(); ++i)
    if (const auto size = static_cast<std::int64_t>(own_text.prompts[i].size()); size > room)
      throw ConfigError(fmt::format(
          "own_text.prompts: prompt {} has {} tokens, with own_text.max_new_tokens = {} more than "
          "the context of {}; shorten the template, or ask for fewer tokens",
          i, size, own_text.max_new_tokens, target.context_length));
}

/// One for all names of a file, whether it is there or not.
std::filesystem::path real_path(const std::string& file) {
  return std::filesystem::weakly_canonical(std::filesystem::absolute(file));
}

/// What is written into the drafter's folder would take its place.
void check_outside(const std::string& file, const char* field, const std::string& output) {
  const auto path = real_path(file).lexically_relative(real_path(output)).string();
  if (!path.empty() && !path.starts_with(".."))
    throw ConfigError(fmt::format("{} = '{}' lies in the drafter's folder '{}'; keep it elsewhere",
                                  field, escaped(file), escaped(output)));
}

void check_files(const TrainOptions& options) {
  SPECLAB_EXPECT(!options.output.empty(), "a drafter's folder");
  for (const std::string& file : options.text.files)
    check_outside(file, "text.files", options.output);
  for (const std::string& file : options.text.held_out_files) {
    check_outside(file, "text.held_out_files", options.output);
    const auto is_same = [&](const std::string& other) {
      return real_path(other) == real_path(file);
    };
    if (std::ranges::any_of(options.text.files, is_same))
      throw ConfigError(fmt::format(
          "text.held_out_files = '{}' is among text.files; hold out a file that is not trained on",
          escaped(file)));
  }
  if (const std::string& from = options.distillation.vocabulary_from;
      !from.empty() && real_path(from) == real_path(options.output))
    throw ConfigError(
        fmt::format("drafter.vocabulary_from = '{}' is the drafter's own folder; take the "
                    "vocabulary of another one",
                    escaped(from)));
  if (const std::string& from = options.distillation.start_from;
      !from.empty() && real_path(from) == real_path(options.output))
    throw ConfigError(
        fmt::format("drafter.start_from = '{}' is the drafter's own folder; write the drafter that "
                    "continues from it elsewhere",
                    escaped(from)));
  if (!options.own_text.cache_file.empty())
    check_outside(options.own_text.cache_file, "own_text.cache_file", options.output);
  if (!options.text.cache_file.empty())
    check_outside(options.text.cache_file, "text.cache_file", options.output);
}

void check_own_text(const OwnTextOptions& own_text) {
  for (const double temperature : own_text.temperatures)
    SamplingOptions{.temperature = temperature}.validate();
  check(own_text.max_new_tokens >= 1, "own_text.max_new_tokens", own_text.max_new_tokens,
        "integers >= 1");
  check(own_text.batch >= 1, "own_text.batch", own_text.batch, "integers >= 1");
}

void check_held_out(const TextOptions& text) {
  if (text.held_out_files.empty())
    throw ConfigError(
        "text.held_out_files: none; allowed: at least one file that is not trained on, to validate "
        "with");
}

/// N-grams are counted in all texts together; what reads the target's states takes its own text or
/// files that it reads, with files to measure on; a small transformer learns from tokens that the
/// target drew.
void check_sources(const TrainOptions& options) {
  const std::size_t prompts = options.own_text.prompts.size(), files = options.text.files.size();
  if (options.trainer().is_small_drafter() && files + options.text.held_out_files.size() > 0)
    throw ConfigError(
        fmt::format("text.files with drafter.kind = '{}'; allowed: with ngram, {}", options.drafter,
                    fmt::join(kNamesOf<kTrainers, &TrainerTraits::reads_states>, ", ")));
  if (options.trainer().counts())
    return check(prompts + files > 0, "own_text.num_prompts", static_cast<double>(prompts),
                 "at least 1, or text.files");
  check(prompts > 0 || files > 0, "own_text.num_prompts", static_cast<double>(prompts),
        "at least 1, or text.files in place of own text");
  if (prompts > 0 && files + options.text.held_out_files.size() > 0)
    throw ConfigError(
        fmt::format("text.files beside own text with drafter.kind = '{}'; allowed: one of them; "
                    "train on files first and continue from there with drafter.start_from",
                    options.drafter));
  if (files > 0) check_held_out(options.text);
}

void check_stretches(const TextOptions& text, std::int32_t least, std::int32_t most,
                     const char* whose) {
  check(text.sequence_length >= least && text.sequence_length <= most, "text.sequence_length",
        text.sequence_length, fmt::format("integers from {} to {}{}", least, most, whose));
  check(text.max_sequences >= 0, "text.max_sequences", text.max_sequences,
        "integers >= 0; 0 is all");
}

/// Every drafted token in a row needs one more of a stretch.
void check_file_text(const TrainOptions& options, const ModelInfo& target) {
  const std::int32_t least =
      2 + (options.trainer().makes_stages() ? options.mlp_speculator.num_heads
                                            : options.feature_transformer.unrolled_steps);
  check_stretches(options.text, least, target.context_length, ", the target's context");
}

/// Texts are held out with all texts of their prompts, so repeated prompts may leave too few.
/// @param least  texts to train on
void check_split(const OwnTextOptions& own_text, std::int32_t num_held_out, std::int64_t least) {
  const auto& prompts = own_text.prompts;
  const auto first_left = prompts.begin() + num_held_out;
  const std::set<std::vector<Token>> held_out(prompts.begin(), first_left);
  const auto left = std::count_if(first_left, prompts.end(), [&](const std::vector<Token>& prompt) {
    return !held_out.contains(prompt);
  });
  check(left >= least, "drafter.validation_sequences", num_held_out,
        fmt::format("fewer: with all texts of their prompts held out, {} of {} texts are left to "
                    "train on, and {} are needed; lower it, or raise own_text.num_prompts",
                    left, prompts.size(), least));
}

void check_ngram_training(const TrainOptions& options) {
  check_ngrams(options.ngram);
  const auto prompts = static_cast<std::int64_t>(options.own_text.prompts.size());
  if (prompts == 0) return;
  check(
      options.ngram.validation_sequences >= 0 && options.ngram.validation_sequences < prompts,
      "drafter.validation_sequences", options.ngram.validation_sequences,
      fmt::format("integers from 0 to {}: own_text.num_prompts = {} less 1", prompts - 1, prompts));
  if (options.text.files.empty())
    check_split(options.own_text, options.ngram.validation_sequences, 1);
}

/// The kernels work on sixteen values at a time.
bool multiple_of_16(std::int32_t value) { return value >= 16 && value % 16 == 0; }

void check_layers(std::int32_t num_layers, std::int32_t intermediate_size) {
  check(num_layers >= 1 && num_layers <= 1000, "drafter.num_layers", num_layers,
        "integers from 1 to 1000");
  check(multiple_of_16(intermediate_size) && intermediate_size <= 1 << 20,
        "drafter.intermediate_size", intermediate_size, "multiples of 16 up to 1048576");
}

/// Training takes 16 bytes a parameter.
void check_num_parameters(std::int64_t found, const char* what_to_lower) {
  constexpr std::int64_t kMostParameters = 1'000'000'000;
  check(found <= kMostParameters, "the drafter's parameters", static_cast<double>(found),
        fmt::format("at most {}; lower {}", kMostParameters, what_to_lower));
}

std::int64_t num_parameters(std::int64_t num_layers, std::int64_t hidden_size,
                            std::int64_t intermediate_size, std::int64_t vocab_size) {
  return num_layers * hidden_size * (4 * hidden_size + 3 * intermediate_size) +
         vocab_size * hidden_size;
}

/// @param widest  hidden_size at most, and why
void check_shape(const SmallTransformerOptions& model, std::int32_t vocab_size, std::int32_t widest,
                 const char* whose) {
  check_layers(model.num_layers, model.intermediate_size);
  check_num_parameters(
      num_parameters(model.num_layers, model.hidden_size, model.intermediate_size, vocab_size),
      "drafter.hidden_size, num_layers or intermediate_size");
  check(multiple_of_16(model.hidden_size) && model.hidden_size <= widest, "drafter.hidden_size",
        model.hidden_size, fmt::format("multiples of 16 up to {}{}", widest, whose));
  check(
      model.num_heads >= 1 && model.hidden_size % (16 * model.num_heads) == 0 &&
          model.hidden_size / model.num_heads <= 1024,
      "drafter.num_heads", model.num_heads,
      fmt::format(
          "divisors of hidden_size = {} that make heads as wide as a multiple of 16, at most 1024",
          model.hidden_size));
}

/// @param least  of what may be drafted @param meaning  what the least number means
void check_draft_vocabulary(std::int32_t size, const ModelInfo& target, std::int32_t least,
                            const char* meaning) {
  check(size >= least && size <= target.vocab_size, "drafter.draft_vocabulary", size,
        fmt::format("integers from {}{} to {}, the target's vocabulary", least, meaning,
                    target.vocab_size));
}

void check_shape(const SmallTransformerOptions& model, const ModelInfo& target) {
  check_shape(model, target.vocab_size, target.hidden_size, ", the target's");
  check_draft_vocabulary(model.draft_vocabulary, target, 0, " (all)");
}

void check_shape(const FeatureTransformerOptions& model, const ModelInfo& target) {
  check_layers(model.num_layers, model.intermediate_size);
  check_num_parameters(
      num_parameters(model.num_layers, target.hidden_size, model.intermediate_size, 0),
      "drafter.num_layers or intermediate_size");
  if (model.reads_layers && target.num_state_layers == 0)
    throw ConfigError(
        fmt::format("drafter.reads_layers = true with the target '{}', of fewer than three layers; "
                    "allowed: false",
                    escaped(target.name)));
  check(model.unrolled_steps >= 1 && model.unrolled_steps <= 16, "drafter.unrolled_steps",
        model.unrolled_steps, "integers from 1 to 16");
  check(model.step_weight > 0 && model.step_weight <= 1, "drafter.step_weight", model.step_weight,
        "numbers in (0, 1]");
  check(model.feature_weight >= 0 && model.feature_weight <= 100, "drafter.feature_weight",
        model.feature_weight, "numbers from 0 to 100");
}

void check_shape(const MlpSpeculatorOptions& model, const DistillationOptions& distillation,
                 const ModelInfo& target) {
  check(model.num_heads >= 1 && model.num_heads <= 16, "drafter.num_heads", model.num_heads,
        "integers from 1 to 16");
  check(multiple_of_16(model.inner_size) && model.inner_size <= 1 << 16, "drafter.inner_size",
        model.inner_size, "multiples of 16 up to 65536");
  const std::int64_t stages = model.is_tied ? 1 : model.num_heads, inner = model.inner_size;
  check_num_parameters(stages * inner * (2 * std::int64_t{distillation.draft_vocabulary} + inner) +
                           inner * target.hidden_size,
                       "drafter.inner_size or draft_vocabulary");
}

void check_distillation(const DistillationOptions& options, const ModelInfo& target) {
  check_draft_vocabulary(options.draft_vocabulary, target, 1, "");
  check_vocabulary_from(options, target);
  check_name(options.loss, "drafter.loss", kLosses);
}

void check_schedule(const TrainingSchedule& model) {
  check(model.learning_rate > 0 && model.learning_rate <= 1, "drafter.learning_rate",
        model.learning_rate, "numbers in (0, 1]");
  check(model.weight_decay >= 0 && model.weight_decay <= 10, "drafter.weight_decay",
        model.weight_decay, "numbers from 0 to 10");
  check_name(model.dtype, "drafter.dtype", kTrainingDtypes);
  check_name(model.device, "drafter.device", kTrainingDevices);
  check_name(model.optimiser, "drafter.optimiser", kOptimisers);
  check_name(model.rate_schedule, "drafter.rate_schedule", kRateSchedules);
  check(model.epochs >= 1, "drafter.epochs", model.epochs, "integers >= 1");
  check(model.batch >= 1, "drafter.batch", model.batch, "integers >= 1");
  check(model.validation_sequences >= 1, "drafter.validation_sequences", model.validation_sequences,
        "integers >= 1");
}

void check_texts(const TrainingSchedule& model, const OwnTextOptions& own_text) {
  const std::size_t num_texts = own_text.prompts.size();
  const auto most = static_cast<std::int64_t>(num_texts) - model.batch;
  check(most >= 1, "own_text.num_prompts", static_cast<double>(num_texts),
        fmt::format("at least {}: one batch of drafter.batch = {} and one text held out",
                    model.batch + 1, model.batch));
  check(model.validation_sequences <= most, "drafter.validation_sequences",
        model.validation_sequences,
        fmt::format("integers from 1 to {}: own_text.num_prompts = {} less one batch of {}", most,
                    num_texts, model.batch));
  check_split(own_text, model.validation_sequences, model.batch);
}

}  // namespace

void check_training(const TrainOptions& options, const ModelInfo& target) {
  check_name(options.drafter, "drafter.kind", kTrainedDrafterKinds);
  const TrainerTraits trainer = options.trainer();
  SPECLAB_EXPECT(trainer.has_target, "a language model has no target");
  check_sources(options);
  check_files(options);
  check_own_text(options.own_text);
  check_prompts(options.own_text, target);
  if (trainer.counts()) return check_ngram_training(options);
  if (trainer.is_small_drafter()) check_shape(options.small_transformer, target);
  if (trainer.makes_feature_layers()) check_shape(options.feature_transformer, target);
  if (trainer.makes_stages()) check_shape(options.mlp_speculator, options.distillation, target);
  if (trainer.reads_states()) check_distillation(options.distillation, target);
  check_schedule(options.schedule);
  if (options.own_text.prompts.empty()) return check_file_text(options, target);
  check_texts(options.schedule, options.own_text);
}

void check_language_model(const TrainOptions& options) {
  constexpr std::int32_t kBytesAndEnd = 257, kWidest = 1 << 14, kLongest = 1 << 20;
  if (!options.own_text.prompts.empty())
    throw ConfigError(
        "own_text.prompts with drafter.kind = 'language_model'; allowed: text.files, which a "
        "language model learns from");
  if (options.text.files.empty())
    throw ConfigError("text.files: none; allowed: at least one file to train on");
  check_held_out(options.text);
  check_files(options);
  check_shape(options.small_transformer, kBytesAndEnd, kWidest, "");
  check(options.small_transformer.draft_vocabulary == 0, "drafter.draft_vocabulary",
        options.small_transformer.draft_vocabulary, "0: a language model has its whole vocabulary");
  check_schedule(options.schedule);
  check_stretches(options.text, 3, kLongest, "");
}

}  // namespace speclab::engines
