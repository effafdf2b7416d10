#include "engines/training/torch/mlp_speculator_trainer.h"

#include <fmt/format.h>

#include "engines/training/draft_tokens.h"
#include "engines/training/torch/hidden_state_trainer.h"
#include "engines/training/torch/start_folder.h"
#include "sim/system/sha256.h"

namespace speclab::engines {
namespace {

MlpSpeculatorConfig drafter_config(const FeatureTarget& target, const MlpSpeculatorOptions& options,
                                   std::vector<Token> draft_vocabulary) {
  return {.name = {},
          .vocab_size = target.config.vocab_size,
          .base_hidden_size = target.config.hidden_size,
          .inner_size = options.inner_size,
          .num_heads = options.num_heads,
          .is_tied = options.is_tied,
          .scales_input = options.scales_input,
          .draft_vocabulary = std::move(draft_vocabulary),
          .target = target.name,
          .target_sha256 = target.sha256};
}

std::string mlp_digest(const TextSplit& texts, const FeatureTarget& target,
                       const TrainOptions& options) {
  const MlpSpeculatorOptions& o = options.mlp_speculator;
  return sha256_text(fmt::format(
      "mlp {} {} {} {} {} {} {}", target.sha256, o.num_heads, o.inner_size, o.is_tied,
      o.scales_input, distillation_digest(options.distillation), training_digest(texts, options)));
}

}  // namespace

void check_mlp_speculator_start(const TrainOptions& options, const std::string& target_sha256) {
  const std::string& folder = options.distillation.start_from;
  if (folder.empty()) return;
  check_start_folder(options, is_mlp_speculator_folder);
  const MlpSpeculatorConfig found = read_mlp_speculator_config(config_file(folder));
  const MlpSpeculatorOptions& o = options.mlp_speculator;
  check_start_shape(
      folder,
      {found.target_sha256,
       {{"drafter.num_heads", o.num_heads, found.num_heads},
        {"drafter.inner_size", o.inner_size, found.inner_size},
        {"drafter.is_tied", o.is_tied, found.is_tied},
        {"drafter.scales_input", o.scales_input, found.scales_input},
        {"drafter.draft_vocabulary", options.distillation.draft_vocabulary, found.num_logits()}}},
      target_sha256);
}

void train_mlp_speculator(const std::vector<OwnText>& texts, const FeatureTarget& target,
                          const TrainOptions& options, const TrainCallbacks& callbacks) {
  const std::string& start = options.distillation.start_from;
  check_mlp_speculator_start(options, target.sha256);
  const TextSplit split = split_texts(texts, options);
  const MlpSpeculatorConfig config =
      start.empty() ? drafter_config(target, options.mlp_speculator,
                                     draft_tokens(split.training, target.config.vocab_size,
                                                  options.distillation))
                    : read_mlp_speculator_config(config_file(start));
  const std::unique_ptr<TrainingTask> task = mlp_speculator_task(config, target, options);
  train_hidden_state_drafter({split,
                              *task,
                              {target.name, target.sha256},
                              mlp_digest(split, target, options),
                              {{"loss", options.distillation.loss}}},
                             options, callbacks, [&](const std::string& path) {
                               write_mlp_speculator_config(config, path);
                             });
}

}  // namespace speclab::engines
