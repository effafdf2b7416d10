#pragma once
// Sizes of a training that is to end within some minutes, the speeds that they are chosen by, and
// the forecast of its time.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/drivers/config/train_config.h"

namespace speclab::experiments {

/// Values of `speclab train --kind`.
inline const std::vector<std::string> kKindsByMinutes{"ngram", "feature_transformer"};

/// Seconds that the parts of a training take on this machine.
struct TrainingSpeeds {
  double prompt_token_s = 0;  ///< reading one token of a prompt
  double round_s = 0;         ///< one more token of every text of a batch
  double law_s = 0;           ///< reading one token of a finished text, and keeping its law
  double step_s = 0;          ///< a step of the drafter over one batch; 0 for n-grams
  double validation_s = 0;    ///< the drafter's laws on one held-out text; 0 for n-grams
  double checkpoint_s = 0;    ///< writing a checkpoint; 0 for n-grams
};

/// The prompts that a training draws from, by a sample of them.
struct PromptSample {
  double mean_tokens = 0;     ///< of those that fit
  double share_that_fit = 0;  ///< of at most TrainConfig::longest_prompt tokens, [0, 1]
};

/// Minutes that a training should take.
struct TrainingForecast {
  std::int64_t num_texts = 0;  ///< held-out ones included
  double text = 0, count = 0, steps = 0, validation = 0;

  double total() const { return text + count + steps + validation; }
};

/// Costs by which a training is sized.
struct TrainingCosts {
  PromptSample prompts;
  TrainingSpeeds speeds;
  std::int64_t num_cached_texts = 0;  ///< texts that earlier trainings left
};

/// The settings that depend on the target alone: all but the number of prompts. Texts are shorter
/// where the target's context is short.
/// @param kind    one of kKindsByMinutes
/// @param model   the target's name or path
TrainConfig settings_for_target(const std::string& kind, const std::string& model,
                                const engines::ModelInfo& target);

/// Sets the number of prompts, and how many of their texts are held out.
void set_num_prompts(std::int64_t num_prompts, double share_that_fit, TrainConfig& config);

/// The most prompts whose texts are kept in memory.
std::int64_t most_prompts(const TrainConfig& config, const engines::ModelInfo& target,
                          const PromptSample& prompts);

/// @param config  with its number of prompts
TrainingForecast forecast_of(const TrainConfig& config, const TrainingCosts& costs);

/// The largest number of prompts whose training is forecast to end within so many minutes.
/// @param most   prompts at most
/// @param costs  of prompts of which some fit
/// @throws ConfigError if the smallest training takes longer
std::int64_t num_prompts_within(double minutes, std::int64_t most, const TrainConfig& config,
                                const TrainingCosts& costs);

/// "8.4 min: 480 texts of up to 96 tokens (7.9 min), counting (0.1 min), validation (0.4 min)"
std::string forecast_text(const TrainConfig& config, const TrainingForecast& forecast);

// Speeds of a target and of its drafter's training, by a few seconds of the real work in a folder
// that is gone afterwards.

/// The training that a probe takes a part of.
struct ProbedTraining {
  engines::Engines& engines;
  const engines::LoadedModel& target;
  const TrainConfig& config;  ///< as settings_for_target gives it
  std::function<void()> check_interruption;
};

/// Makes a batch of texts of a few tokens. For drafters with steps it also makes a few texts of
/// full length, and takes steps on them.
/// @param prompts  that fit, at least 16
/// @throws what Engines::train throws for a target that has no such drafter
TrainingSpeeds measure_speeds(const ProbedTraining& training,
                              const std::vector<std::vector<Token>>& prompts);

/// How many texts of these prompts the cache file of the training's own text holds.
/// @param training.config.options.own_text.cache_file  may be missing
std::int64_t count_cached_texts(const ProbedTraining& training,
                                const std::vector<std::vector<Token>>& prompts);

}  // namespace speclab::experiments
