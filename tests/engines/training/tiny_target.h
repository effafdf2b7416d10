#pragma once
// A tiny Llama in a checkpoint folder, its text and its hidden states: what drafters that read them
// are trained on.

#include <string>
#include <vector>

#include "engines/training/torch/feature_transformer_trainer.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines::testing {

class TinyTarget {
 public:
  explicit TinyTarget(std::int32_t num_layers = 1);

  const DecoderShape& config() const { return config_; }
  std::string folder() const { return folder_.path("target"); }
  std::string sha256() const;
  std::vector<float> embedding() const;
  FeatureTarget feature_target() const;
  /// After every token, [tokens, state_size].
  std::vector<float> hidden(const std::vector<Token>& tokens) const;
  /// Its own texts of one prompt token and `length` sampled ones, with laws and hidden states.
  std::vector<OwnText> texts(std::size_t count, std::int32_t length) const;
  std::unique_ptr<LanguageModel> load() const;

 private:
  ::speclab::testing::TemporaryFolder folder_;
  DecoderShape config_;
};

}  // namespace speclab::engines::testing
