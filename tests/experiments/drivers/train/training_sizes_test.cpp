#include "experiments/drivers/train/training_sizes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

engines::ModelInfo target_of_context(std::int32_t context) {
  engines::ModelInfo info;
  info.context_length = context;
  info.vocab_size = 49152;
  info.hidden_size = 576;
  info.num_state_layers = 2;
  return info;
}

/// Costs that a model of half a billion parameters has on two cores.
TrainingCosts slow_costs() {
  return {.prompts = {.mean_tokens = 60, .share_that_fit = 1},
          .speeds = {.prompt_token_s = 6e-3,
                     .round_s = 0.2,
                     .law_s = 8e-3,
                     .step_s = 0.5,
                     .validation_s = 0.1,
                     .checkpoint_s = 0.5}};
}

TrainConfig settings(const std::string& kind, std::int32_t context = 8192) {
  return settings_for_target(kind, "m", target_of_context(context));
}

class TrainingSizes : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, TrainingSizes, ::testing::Values("ngram", "feature_transformer"));

/// Defect: more minutes made a smaller training, or the training was forecast beyond its minutes.
TEST_P(TrainingSizes, GrowWithTheMinutesAndFitIntoThem) {
  std::int64_t before = 0;
  for (const double minutes : {4.0, 8.0, 20.0, 60.0, 300.0}) {
    TrainConfig config = settings(GetParam());
    const std::int64_t found = num_prompts_within(minutes, 8192, config, slow_costs());
    EXPECT_GE(found, before) << minutes;
    set_num_prompts(found, 1.0, config);
    const TrainingForecast forecast = forecast_of(config, slow_costs());
    EXPECT_LE(forecast.total(), minutes);
    EXPECT_GT(forecast.total(), 0.5 * minutes) << "the minutes are used";
    before = found;
  }
}

/// Defect: texts that are there already were paid for again.
TEST_P(TrainingSizes, TextsThatAreThereCostNoTime) {
  TrainConfig config = settings(GetParam());
  set_num_prompts(320, 1.0, config);
  TrainingCosts costs = slow_costs();
  const double whole = forecast_of(config, costs).text;
  costs.num_cached_texts = 160;
  EXPECT_NEAR(forecast_of(config, costs).text, whole / 2, 1e-9);
  costs.num_cached_texts = 1000;
  EXPECT_EQ(forecast_of(config, costs).text, 0);
}

TEST_P(TrainingSizes, RefuseMinutesThatAreTooFew) {
  EXPECT_THROW(num_prompts_within(0.1, 8192, settings(GetParam()), slow_costs()), ConfigError);
}

/// Defect: a target of a short context was refused, or its texts were longer than it.
TEST_P(TrainingSizes, PromptAndTextFitIntoTheContext) {
  for (const std::int32_t context : {64, 128, 320, 8192}) {
    const TrainConfig config = settings(GetParam(), context);
    EXPECT_GE(config.options.own_text.max_new_tokens, std::min(context / 2, 96));
    EXPECT_LE(config.longest_prompt + config.options.own_text.max_new_tokens, context);
    EXPECT_GT(config.longest_prompt, 0);
  }
}

/// Defect: the held-out texts left no batch to train on.
TEST_P(TrainingSizes, LeaveTextsToTrainOn) {
  for (const std::int64_t prompts : {8, 16, 32, 8192}) {
    TrainConfig config = settings(GetParam());
    set_num_prompts(prompts, 1.0, config);
    EXPECT_LE(config.options.schedule.validation_sequences + config.options.schedule.batch,
              std::max<std::int64_t>(prompts, 64));
    EXPECT_LT(config.options.ngram.validation_sequences, std::max<std::int64_t>(prompts, 49));
  }
}

/// Defect: states of wide targets filled the memory.
TEST(TrainingSizes, KeepTheStatesInMemory) {
  const engines::ModelInfo wide = [] {
    engines::ModelInfo info = target_of_context(8192);
    info.hidden_size = 8192;
    return info;
  }();
  const PromptSample prompts = slow_costs().prompts;
  EXPECT_LT(most_prompts(settings_for_target("feature_transformer", "m", wide), wide, prompts),
            300);
  EXPECT_EQ(most_prompts(settings("ngram"), target_of_context(8192), prompts), 8192);
}

TEST(TrainingSizes, ForecastNamesItsParts) {
  TrainConfig config = settings("ngram");
  set_num_prompts(96, 1.0, config);
  EXPECT_EQ(forecast_text(config, {.num_texts = 96, .text = 7.9, .count = 0.1, .validation = 0.4}),
            "8.4 min: 96 texts of up to 96 tokens (7.9 min), counting (0.1 min), validation (0.4 "
            "min)");
}

}  // namespace
}  // namespace speclab::experiments
