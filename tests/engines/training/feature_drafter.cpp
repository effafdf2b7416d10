#include "tests/engines/training/feature_drafter.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>

#include "engines/families/feature_transformer.h"
#include "engines/training/torch/drafter_folder.h"
#include "sim/system/files.h"

namespace speclab::engines::testing {

DecoderShape feature_config(const DecoderShape& target, std::int32_t num_layers) {
  DecoderShape config = target;
  config.num_layers = num_layers;
  config.feature_size =
      target.hidden_size * (1 + static_cast<std::int32_t>(target.state_layers().size()));
  config.tied_embeddings = false;
  for (Token token = 0; token < target.vocab_size; token += 3)
    config.draft_vocabulary.push_back(token);
  return config;
}

at::Tensor as_tensor(std::span<const float> values, std::int64_t columns) {
  return at::from_blob(const_cast<float*>(values.data()),
                       {static_cast<std::int64_t>(values.size()) / columns, columns}, at::kFloat)
      .clone();
}

FeatureTransformerModel written_model(const TinyTarget& target, const DecoderShape& config,
                                      const std::string& folder) {
  FeatureTransformerModel model(config, as_tensor(target.embedding(), config.hidden_size), 5);
  for (auto& parameter : model.parameters().all())
    parameter.value = parameter.value.detach().to(at::kBFloat16).to(at::kFloat);
  make_folder(folder);
  write_drafter(model.parameters(), {"tokens\n", {}}, folder, [&](const std::string& path) {
    write_feature_transformer_config({config, target.folder(), target.sha256()}, path);
  });
  return model;
}

TrainOptions train_options(const std::string& folder) {
  TrainOptions options;
  options.drafter = "feature_transformer";
  options.feature_transformer = {.intermediate_size = 64};
  options.distillation = {.draft_vocabulary = 100};
  options.schedule = {.batch = 8, .learning_rate = 3e-3, .epochs = 12, .validation_sequences = 8};
  options.output = folder;
  return options;
}

}  // namespace speclab::engines::testing
