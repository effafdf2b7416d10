#include "engines/training/training_checks.h"

#include <gtest/gtest.h>

#include <functional>

#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

TrainOptions good_options() {
  TrainOptions options;
  options.own_text.prompts.assign(100, {1, 2});
  return options;
}

ModelInfo target() {
  ModelInfo info;
  info.hidden_size = 576;
  return info;
}

TEST(TrainingChecks, AcceptsTheDefaults) {
  EXPECT_NO_THROW(check_training(good_options(), target()));
  TrainOptions bigram = good_options();
  bigram.drafter = "bigram";
  EXPECT_NO_THROW(check_training(bigram, target()));
}

TEST(TrainingChecks, RefusesWithAConfigErrorThatNamesTheField) {
  const std::pair<const char*, std::function<void(TrainOptions&)>> mistakes[] = {
      {"drafter.kind", [](TrainOptions& o) { o.drafter = "ngram"; }},
      {"drafter.hidden_size", [](TrainOptions& o) { o.small_transformer.hidden_size = 592; }},
      {"drafter.hidden_size", [](TrainOptions& o) { o.small_transformer.hidden_size = 100; }},
      {"drafter.num_heads", [](TrainOptions& o) { o.small_transformer.num_heads = 3; }},
      {"drafter.num_heads", [](TrainOptions& o) { o.small_transformer.num_heads = 0; }},
      {"drafter.num_layers", [](TrainOptions& o) { o.small_transformer.num_layers = 0; }},
      {"drafter.intermediate_size", [](TrainOptions& o) { o.small_transformer.intermediate_size = 24; }},
      {"drafter.max_minutes", [](TrainOptions& o) { o.small_transformer.max_minutes = 0; }},
      {"drafter.validation_sequences", [](TrainOptions& o) { o.small_transformer.validation_sequences = 90; }},
      {"temperature", [](TrainOptions& o) { o.own_text.temperatures = {1e-5}; }},
      {"own_text.num_prompts", [](TrainOptions& o) { o.own_text.prompts.clear(); }}};
  for (const auto& [field, change] : mistakes) {
    TrainOptions options = good_options();
    change(options);
    try {
      check_training(options, target());
      ADD_FAILURE() << "accepted: " << field;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(field), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace speclab::engines
