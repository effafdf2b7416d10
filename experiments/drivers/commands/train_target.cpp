#include "experiments/drivers/commands/train_target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engines/interface/names.h"
#include "experiments/drivers/config/train_config.h"
#include "experiments/drivers/program/loading_note.h"
#include "experiments/drivers/prompts/prompt.h"
#include "experiments/drivers/train/training_run.h"
#include "experiments/drivers/train/training_sizes.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/json_text.h"
#include "sim/system/versions.h"

namespace speclab::experiments {
namespace {

/// The forecast aims at this share of the minutes, because machines are not always as fast.
constexpr double kAimedShare = 0.8;
constexpr std::size_t kSampledPrompts = 280, kLeastThatFit = 16;

class Stopwatch {
 public:
  double minutes() const {
    const std::chrono::duration<double, std::ratio<60>> passed =
        std::chrono::steady_clock::now() - begin_;
    return passed.count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

double minutes_of(const TrainCommandOptions& options) {
  constexpr double kMost = 7 * 24 * 60;
  const double minutes =
      options.minutes.value_or(engines::trainer_traits(options.kind).counts() ? 10 : 60);
  if (!std::isfinite(minutes) || minutes <= 0 || minutes > kMost)
    throw ConfigError(
        fmt::format("--minutes {}; allowed: numbers above 0, up to {}", minutes, kMost));
  return minutes;
}

void check_kind(const std::string& kind) {
  if (!engines::is_among(kind, kKindsByMinutes))
    throw ConfigError(
        fmt::format("--kind {}; allowed with --target: {}; a config trains the other kinds",
                    kind.empty() ? "is missing" : "'" + escaped(kind, 40) + "'",
                    fmt::join(kKindsByMinutes, ", ")));
}

/// Two targets may have one name. @throws ConfigError if the folder is another one's
void expect_of_target(const std::string& folder, const engines::ModelInfo& target) {
  const std::string manifest = folder + "/manifest.json";
  if (std::error_code none; !std::filesystem::is_regular_file(manifest, none)) return;
  const auto json = parsed_or_discarded<nlohmann::json>(read_file(manifest));
  const std::string found =
      json.is_object() ? json.value("target_sha256", nlohmann::json()).dump() : "";
  if (found != nlohmann::json(target.sha256).dump())
    throw ConfigError(fmt::format(
        "{}: holds no drafter of this target, whose SHA-256 is {}; choose a folder with --output",
        escaped(folder, kLongestPath), target.sha256));
}

/// A training for a target, from its first call on.
struct Begin {
  engines::Engines& engines;
  const engines::LoadedModel& target;
  const engines::TrainCallbacks& callbacks;
  std::string drafter;  ///< folder of all versions
  std::string folder, call;
  double minutes = 0;  ///< that are left of those that were asked for
};

/// The settings but for the number of prompts.
TrainConfig settings_of(const Begin& begin, const TrainCommandOptions& options) {
  TrainConfig config =
      settings_for_target(options.kind, options.target, begin.target.model->info());
  config.options.output = begin.folder;
  name_text_caches(begin.target.model->info(), config.options);
  return config;
}

std::vector<std::vector<Token>> first_prompts(const Begin& begin, TrainConfig config,
                                              std::size_t count) {
  config.prompts = make_prompts(config.prompt_file, count);
  return prompt_ids(*begin.target.tokenizer, config);
}

PromptSample sample_of(const std::vector<std::vector<Token>>& prompts, const TrainConfig& config) {
  if (prompts.size() < kLeastThatFit)
    throw ConfigError(fmt::format(
        "the target's context is short: {} of {} prompts have at most {} tokens, which leave room "
        "for {} new ones; allowed: targets with a longer context, or a config with your own "
        "prompts",
        prompts.size(), kSampledPrompts, config.longest_prompt,
        config.options.own_text.max_new_tokens));
  double tokens = 0;
  for (const auto& prompt : prompts) tokens += static_cast<double>(prompt.size());
  const auto count = static_cast<double>(prompts.size());
  return {tokens / count, count / kSampledPrompts};
}

/// Measures, chooses the sizes and notes them in the folder.
TrainingForecast choose_sizes(const Begin& begin, const TrainCommandOptions& options) {
  const Stopwatch watch;
  TrainConfig config = settings_of(begin, options);
  const ProbedTraining probed{begin.engines, begin.target, config,
                              begin.callbacks.check_interruption};
  const auto prompts = first_prompts(begin, config, kSampledPrompts);
  TrainingCosts costs{sample_of(prompts, config), measure_speeds(probed, prompts)};
  const std::int64_t most = most_prompts(config, begin.target.model->info(), costs.prompts);
  if (std::error_code none; std::filesystem::exists(config.options.own_text.cache_file, none))
    costs.num_cached_texts =
        count_cached_texts(probed, first_prompts(begin, config, static_cast<std::size_t>(most)));
  const double minutes = kAimedShare * begin.minutes - watch.minutes();
  set_num_prompts(num_prompts_within(minutes, most, config, costs), costs.prompts.share_that_fit,
                  config);
  const TrainingForecast forecast = forecast_of(config, costs);
  const std::string text = forecast_text(config, forecast);
  config.options.own_text.cache_file.clear();
  config.options.output = begin.drafter;
  write_begun(begin.folder, begin.call, text, config);
  fmt::print(stderr, "forecast: {}; folder {}\n", text, escaped(begin.folder, kLongestPath));
  return forecast;
}

}  // namespace

void check_target_options(const TrainCommandOptions& options) {
  check_kind(options.kind);
  minutes_of(options);
}

std::string train_for_target_in_minutes(engines::Engines& engines,
                                        const TrainCommandOptions& options,
                                        const engines::TrainCallbacks& callbacks) {
  const Stopwatch since_call;
  const double minutes = minutes_of(options);
  const engines::ModelOptions model{.model = options.target};
  const engines::InspectedModel inspected = engines.inspect_model(model);
  tokenizer_of(
      {nullptr, inspected.tokenizer, inspected.tokenizer_problem},
      fmt::format("--target '{}' has no tokenizer, so it makes no text to train on; choose "
                  "a target with one",
                  escaped(options.target, 200)));
  const std::string drafter =
      options.output.empty() ? fmt::format("results/runs/{}-{}", inspected.info.name, options.kind)
                             : options.output;
  if (options.output.empty()) expect_of_target(newest_version(drafter), inspected.info);
  const std::string call =
      fmt::format("speclab train --target {} --kind {} --minutes {}; the target's SHA-256 is {}",
                  options.target, options.kind, minutes, inspected.info.sha256);
  const std::string folder =
      TrainingPlace{drafter, options.overwrites, options.into_used_folder, call}.chosen();
  const bool goes_on = was_begun(folder, call, options.overwrites);
  const engines::LoadedModel target = load_with_note(engines, model);
  std::string forecast;
  if (goes_on) {
    fmt::print(stderr, "goes on with the sizes in {}\n", escaped(begun_file(folder), kLongestPath));
  } else {
    const Begin begin{
        engines, target, callbacks, drafter, folder, call, minutes - since_call.minutes()};
    forecast = fmt::format(" (forecast {:.1f})", choose_sizes(begin, options).total());
  }
  const Stopwatch since_forecast;
  TrainConfig config = read_train_config(begun_file(folder), {}, folder);
  config.target.model = options.target;  // as given: relative to where the user stands
  train_for_target(engines, target, config, callbacks);
  end_begun(folder);
  fmt::print(stderr, "took {:.1f} min{}; draft with --drafter {} --drafter-model {}\n",
             since_forecast.minutes(), forecast, options.kind, escaped(folder, kLongestPath));
  return folder;
}

}  // namespace speclab::experiments
