#include "engines/training/train_drafter.h"

#include <gtest/gtest.h>

#include <functional>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

TrainOptions good_options() {
  TrainOptions options;
  for (Token i = 0; i < 100; ++i) options.own_text.prompts.push_back({1, i});
  options.output = "drafter";
  return options;
}

ModelInfo checked_target() {
  ModelInfo info;
  info.hidden_size = 576;
  info.vocab_size = 300;
  info.context_length = 512;
  return info;
}

TEST(TrainingChecks, AcceptsTheDefaults) {
  EXPECT_NO_THROW(check_training(good_options(), checked_target()));
  TrainOptions ngram = good_options();
  ngram.drafter = "ngram";
  EXPECT_NO_THROW(check_training(ngram, checked_target()));
  ngram.own_text.prompts.clear();
  ngram.text.files = {"a.txt"};
  EXPECT_NO_THROW(check_training(ngram, checked_target())) << "text files are enough";
}

TEST(TrainingChecks, RefusesWithAConfigErrorThatNamesTheField) {
  const std::pair<const char*, std::function<void(TrainOptions&)>> mistakes[] = {
      {"drafter.kind", [](TrainOptions& o) { o.drafter = "bigram"; }},
      {"drafter.reads_layers",
       [](TrainOptions& o) {
         o.drafter = "feature_transformer", o.feature_transformer.reads_layers = true;
       }},
      {"drafter.order", [](TrainOptions& o) { o.drafter = "ngram", o.ngram.order = 6; }},
      {"drafter.max_successors",
       [](TrainOptions& o) { o.drafter = "ngram", o.ngram.max_successors = 0; }},
      {"drafter.validation_sequences",
       [](TrainOptions& o) { o.drafter = "ngram", o.ngram.validation_sequences = 100; }},
      {"own_text.num_prompts",
       [](TrainOptions& o) { o.drafter = "ngram", o.own_text.prompts.clear(); }},
      {"text.files", [](TrainOptions& o) { o.text.files = {"a.txt"}; }},
      {"drafter.hidden_size", [](TrainOptions& o) { o.small_transformer.hidden_size = 592; }},
      {"drafter.hidden_size", [](TrainOptions& o) { o.small_transformer.hidden_size = 100; }},
      {"drafter.num_heads", [](TrainOptions& o) { o.small_transformer.num_heads = 3; }},
      {"drafter.num_heads", [](TrainOptions& o) { o.small_transformer.num_heads = 0; }},
      {"drafter.num_layers", [](TrainOptions& o) { o.small_transformer.num_layers = 0; }},
      {"drafter.intermediate_size",
       [](TrainOptions& o) { o.small_transformer.intermediate_size = 24; }},
      {"the drafter's parameters",
       [](TrainOptions& o) {
         o.small_transformer.num_layers = 1000, o.small_transformer.intermediate_size = 1 << 20;
       }},
      {"the drafter's parameters",
       [](TrainOptions& o) {
         o.drafter = "feature_transformer", o.feature_transformer.num_layers = 1000,
         o.feature_transformer.intermediate_size = 1 << 20;
       }},
      {"drafter.validation_sequences",
       [](TrainOptions& o) { o.schedule.validation_sequences = 90; }},
      {"8 of 100 texts are left to train on, and 16 are needed",
       [](TrainOptions& o) {
         for (std::size_t i = 0; i < 92; ++i) o.own_text.prompts[i] = {1, 2};
       }},
      {"0 of 100 texts are left to train on, and 1 are needed",
       [](TrainOptions& o) { o.drafter = "ngram", o.own_text.prompts.assign(100, {1, 2}); }},
      {"own_text.num_prompts = 16; allowed: at least 17",
       [](TrainOptions& o) { o.own_text.prompts.resize(16); }},
      {"drafter.dtype = 'float16'", [](TrainOptions& o) { o.schedule.dtype = "float16"; }},
      {"drafter.device = 'auto'; allowed: cpu, cuda",
       [](TrainOptions& o) { o.schedule.device = "auto"; }},
      {"drafter.loss = 'kl'",
       [](TrainOptions& o) {
         o.drafter = "feature_transformer",
         o.distillation = {.draft_vocabulary = 100, .loss = "kl"};
       }},
      {"drafter.draft_vocabulary = -1; allowed: integers from 0 (all) to",
       [](TrainOptions& o) { o.small_transformer.draft_vocabulary = -1; }},
      {"drafter.draft_vocabulary = 1000000",
       [](TrainOptions& o) { o.small_transformer.draft_vocabulary = 1'000'000; }},
      {"drafter.inner_size = 40",
       [](TrainOptions& o) { o.drafter = "mlp_speculator", o.mlp_speculator.inner_size = 40; }},
      {"drafter.num_heads = 17",
       [](TrainOptions& o) { o.drafter = "mlp_speculator", o.mlp_speculator.num_heads = 17; }},
      {"drafter.rate_schedule = 'linear'",
       [](TrainOptions& o) { o.schedule.rate_schedule = "linear"; }},
      {"text.held_out_files: none",
       [](TrainOptions& o) {
         o.drafter = "mlp_speculator", o.distillation.draft_vocabulary = 100,
         o.own_text.prompts.clear(), o.text.files = {"a.txt"};
       }},
      {"text.sequence_length = 4; allowed: integers from 5",
       [](TrainOptions& o) {
         o.drafter = "mlp_speculator", o.distillation.draft_vocabulary = 100,
         o.own_text.prompts.clear(), o.text = {{"a.txt"}, {"b.txt"}, 4};
       }},
      {"text.files beside own text",
       [](TrainOptions& o) { o.drafter = "mlp_speculator", o.text.files = {"a.txt"}; }},
      {"the drafter's parameters",
       [](TrainOptions& o) {
         o.drafter = "mlp_speculator",
         o.mlp_speculator = {.num_heads = 16, .inner_size = 65536, .is_tied = false};
       }},
      {"drafter.optimiser = 'sgd'", [](TrainOptions& o) { o.schedule.optimiser = "sgd"; }},
      {"drafter.vocabulary_from = 'drafter/../drafter' is the drafter's own folder",
       [](TrainOptions& o) {
         o.drafter = "feature_transformer", o.distillation.vocabulary_from = "drafter/../drafter";
       }},
      {"drafter.start_from = 'drafter/../drafter' is the drafter's own folder",
       [](TrainOptions& o) {
         o.drafter = "feature_transformer", o.distillation.start_from = "drafter/../drafter";
       }},
      {"prompt 3 has 321 tokens", [](TrainOptions& o) { o.own_text.prompts[3].resize(321); }},
      {"text.held_out_files = 'a.txt' is among text.files",
       [](TrainOptions& o) {
         o.drafter = "ngram", o.text.files = {"b.txt", "./a.txt"},
         o.text.held_out_files = {"a.txt"};
       }},
      {"text.files = 'folder/ngram.bin' lies in the drafter's folder",
       [](TrainOptions& o) {
         o.drafter = "ngram", o.output = "folder", o.text.files = {"folder/ngram.bin"};
       }},
      {"own_text.cache_file",
       [](TrainOptions& o) {
         o.output = "folder", o.own_text.cache_file = "folder/x/../text.bin";
       }},
      {"temperature", [](TrainOptions& o) { o.own_text.temperatures = {1e-5}; }},
      {"own_text.num_prompts", [](TrainOptions& o) { o.own_text.prompts.clear(); }}};
  for (const auto& [field, change] : mistakes) {
    TrainOptions options = good_options();
    change(options);
    try {
      check_training(options, checked_target());
      ADD_FAILURE() << "accepted: " << field;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(field), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace speclab::engines
