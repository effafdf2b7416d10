#include "experiments/drivers/train/training_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "sim/system/data_folder.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// Texts end before their limit. Measured on smollm2-135m (160 tokens) and qwen2.5-coder-0.5b (96):
/// this share of the limit is written, and a round of a batch from which texts drop out costs this
/// share of a full one.
constexpr double kWrittenShare = 0.72, kRoundShare = 0.85;
/// A round of one text costs at least this share of a round of a whole batch: the weights are read
/// for one row as for many.
constexpr double kLeastRound = 0.25;
/// At most, with the vocabulary of qwen2.5-coder-0.5b: counting the n-grams of a token, and their
/// laws at a held-out token. Both are small beside the text.
constexpr double kSecondsACountedToken = 4e-6, kSecondsAHeldOutToken = 5e-5;
constexpr double kMostTextBytes = 2e9;  ///< of texts with their laws and states, in memory
constexpr std::int64_t kMostPrompts = 8192, kLeastPrompts = 8, kLawBytes = 260;
constexpr std::int32_t kReportsATraining = 10, kTextsAReport = 800;  ///< as the training loop has

std::int32_t multiple_of_16(double size) { return 16 * static_cast<std::int32_t>(size / 16 + 0.5); }

void set_ngram(TrainConfig& config) {
  config.options.own_text.temperatures = {0.0, 1.0};
  config.options.ngram.order = 3;
  config.options.ngram.max_successors = 8;
}

/// The shape and schedule of the project's own drafter, with the target's width.
void set_feature_transformer(const engines::ModelInfo& target, TrainConfig& config) {
  engines::TrainOptions& options = config.options;
  options.own_text.temperatures = {0.0, 1.0, 0.7};
  options.own_text.keeps_hidden = true;
  options.own_text.keeps_layers = target.num_state_layers > 0;
  options.feature_transformer = {.reads_layers = target.num_state_layers > 0,
                                 .intermediate_size = multiple_of_16(target.hidden_size * 8 / 3.0),
                                 .unrolled_steps = 2};
  options.distillation.draft_vocabulary = std::min(8192, target.vocab_size);
  options.schedule.batch = 4;
  options.schedule.optimiser = "muon";
  options.schedule.learning_rate = 4e-3;
}

std::int32_t num_held_out(const TrainConfig& config) {
  return config.options.trainer().counts() ? config.options.ngram.validation_sequences
                                           : config.options.schedule.validation_sequences;
}

double written_tokens(const TrainConfig& config) {
  return kWrittenShare * config.options.own_text.max_new_tokens;
}

double num_texts(const TrainConfig& config, const TrainingCosts& costs) {
  return std::floor(static_cast<double>(config.num_prompts) * costs.prompts.share_that_fit);
}

/// @param texts  that are not there yet
double text_seconds(double texts, const TrainConfig& config, const TrainingCosts& costs) {
  const engines::OwnTextOptions& own = config.options.own_text;
  const double batch = own.batch, whole = std::floor(texts / batch), rest = texts - whole * batch,
               rounds = whole + (rest > 0 ? kLeastRound + (1 - kLeastRound) * rest / batch : 0),
               a_text = costs.prompts.mean_tokens * costs.speeds.prompt_token_s +
                        (costs.prompts.mean_tokens + written_tokens(config)) * costs.speeds.law_s;
  return texts * a_text + rounds * own.max_new_tokens * kRoundShare * costs.speeds.round_s;
}

/// Steps, and validations with a checkpoint between them.
void add_steps(double texts, const TrainConfig& config, const TrainingCosts& costs,
               TrainingForecast& forecast) {
  const engines::TrainingSchedule& schedule = config.options.schedule;
  const double held_out = num_held_out(config),
               steps = schedule.epochs * std::floor((texts - held_out) / schedule.batch),
               a_report = std::max(1.0, std::min<double>(kTextsAReport / schedule.batch,
                                                         std::floor(steps / kReportsATraining))),
               reports = std::ceil(steps / a_report);
  forecast.steps = steps * costs.speeds.step_s / 60;
  forecast.validation =
      reports * (held_out * costs.speeds.validation_s + costs.speeds.checkpoint_s) / 60;
}

}  // namespace

TrainConfig settings_for_target(const std::string& kind, const std::string& model,
                                const engines::ModelInfo& target) {
  TrainConfig config;
  config.target.model = model;
  config.prompt_file =
      std::filesystem::absolute(data_folder() + "/experiments/prompts/train_wide.toml").string();
  config.options.drafter = kind;
  engines::OwnTextOptions& own = config.options.own_text;
  own.batch = 32;
  own.seed = 2;
  own.max_new_tokens = std::min(config.options.trainer().counts() ? 96 : 160,
                                std::max(1, target.context_length / 2));
  config.longest_prompt = target.context_length - own.max_new_tokens;
  if (config.options.trainer().counts())
    set_ngram(config);
  else
    set_feature_transformer(target, config);
  return config;
}

void set_num_prompts(std::int64_t num_prompts, double share_that_fit, TrainConfig& config) {
  config.num_prompts = num_prompts;
  const auto texts = static_cast<std::int64_t>(static_cast<double>(num_prompts) * share_that_fit);
  const auto an_eighth = static_cast<std::int32_t>(std::min<std::int64_t>(texts / 8, 48));
  if (config.options.trainer().counts())
    config.options.ngram.validation_sequences = std::max(1, std::min(an_eighth, 32));
  else
    config.options.schedule.validation_sequences = std::max(1, an_eighth);
}

std::int64_t most_prompts(const TrainConfig& config, const engines::ModelInfo& target,
                          const PromptSample& prompts) {
  const engines::OwnTextOptions& own = config.options.own_text;
  const double states = own.keeps_layers   ? target.state_size()
                        : own.keeps_hidden ? target.hidden_size
                                           : 0,
               tokens = prompts.mean_tokens + written_tokens(config),
               bytes = tokens * (kLawBytes + 2 * states);
  return std::min(kMostPrompts, static_cast<std::int64_t>(kMostTextBytes / bytes));
}

TrainingForecast forecast_of(const TrainConfig& config, const TrainingCosts& costs) {
  const double texts = num_texts(config, costs),
               missing = std::max(0.0, texts - static_cast<double>(costs.num_cached_texts));
  TrainingForecast forecast{.num_texts = static_cast<std::int64_t>(texts),
                            .text = text_seconds(missing, config, costs) / 60};
  if (config.options.trainer().steps()) {
    add_steps(texts, config, costs, forecast);
    return forecast;
  }
  const double held_out = num_held_out(config), tokens = written_tokens(config);
  forecast.count = (texts - held_out) * tokens * kSecondsACountedToken / 60;
  forecast.validation = held_out * tokens * kSecondsAHeldOutToken / 60;
  return forecast;
}

std::int64_t num_prompts_within(double minutes, std::int64_t most, const TrainConfig& config,
                                const TrainingCosts& costs) {
  const auto with = [&](std::int64_t num_prompts) {
    TrainConfig sized = config;
    set_num_prompts(num_prompts, costs.prompts.share_that_fit, sized);
    return forecast_of(sized, costs);
  };
  SPECLAB_EXPECT(costs.prompts.share_that_fit > 0, "prompts that fit");
  std::int64_t least = kLeastPrompts;
  while (with(least).num_texts < kLeastPrompts) ++least;
  if (const double smallest = with(least).total(); smallest > minutes)
    throw ConfigError(fmt::format(
        "--minutes: {:.1f} min are left for the work, and the smallest training of this target is "
        "forecast to take {:.1f} min; give more minutes, or choose a smaller target",
        std::max(0.0, minutes), smallest));
  const std::int64_t batch = config.options.own_text.batch;
  std::int64_t chosen = least;
  for (std::int64_t next = kLeastPrompts; next <= most;
       next += next < batch ? kLeastPrompts : batch)
    if (next > least && with(next).total() <= minutes) chosen = next;
  return chosen;
}

std::string forecast_text(const TrainConfig& config, const TrainingForecast& forecast) {
  std::string text =
      fmt::format("{:.1f} min: {} texts of up to {} tokens ({:.1f} min)", forecast.total(),
                  forecast.num_texts, config.options.own_text.max_new_tokens, forecast.text);
  if (config.options.trainer().counts())
    text += fmt::format(", counting ({:.1f} min)", forecast.count);
  else
    text += fmt::format(", training ({:.1f} min)", forecast.steps);
  return text + fmt::format(", validation ({:.1f} min)", forecast.validation);
}

}  // namespace speclab::experiments
