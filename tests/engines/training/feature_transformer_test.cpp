// The drafter that reads the target's hidden states: what it is trained on is what it drafts,
// through its folder and cache.

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "engines/cpu/decoder_cpu.h"
#include "engines/families/catalogue.h"
#include "engines/families/feature_transformer.h"
#include "engines/formats/safetensors_file.h"
#include "engines/training/torch/drafter_folder.h"
#include "sim/system/errors.h"
#include "tests/engines/drafters/draft_chain.h"
#include "tests/engines/models/tiny_llama.h"
#include "tests/engines/training/feature_drafter.h"

namespace speclab::engines {
namespace {

using testing::as_tensor;
using testing::feature_config;
using testing::TinyTarget;
using testing::written_model;

/// Logits over the draft vocabulary that the engine's drafter gives after `drafted` tokens that it
/// drafts behind the prefix.
class EngineDrafts {
 public:
  EngineDrafts(const std::string& folder, std::vector<float> hidden)
      : hidden_(std::move(hidden)), model_(transformer_draft_model(load(folder))) {}

  /// @param tokens  prefix and pending token; read in two steps, so that the cache is continued
  std::vector<float> after(const std::vector<Token>& tokens, const std::vector<Token>& drafted) {
    const auto width = static_cast<std::size_t>(model_->info().feature_size);
    Sequence sequence{.tokens = {tokens.begin(), tokens.end() - 2}};
    model_->begin({&sequence, 1}, 32);
    read(sequence, 0, sequence.tokens.size() - 1, width);
    sequence.tokens = tokens;
    read(sequence, tokens.size() - 3, tokens.size() - 1, width);
    const std::span<const float> logits = testing::logits_after_chain(*model_, sequence, drafted);
    return {logits.begin(), logits.end()};
  }

 private:
  static std::shared_ptr<LanguageModel> load(const std::string& folder) {
    const ModelSource source = open_model(folder);
    return std::make_shared<cpu::DecoderCpu>(source.config, *source.weights,
                                             cpu::ElementType::float32,
                                             std::make_shared<cpu::ThreadTeam>(1));
  }
  void read(const Sequence& sequence, std::size_t begin, std::size_t end, std::size_t width) {
    model_->read_hidden(sequence, std::span(hidden_).subspan(begin * width, (end - begin) * width));
    if (begin == 0) model_->read_emitted(sequence);
  }

  std::vector<float> hidden_;
  std::unique_ptr<DraftModel> model_;
};

/// Layers of the drafter and of the target.
class FeatureTransformer : public ::testing::TestWithParam<std::pair<std::int32_t, std::int32_t>> {
};

TEST_P(FeatureTransformer, DraftsWhatItsTrainingUnrolls) {
  const TinyTarget target(GetParam().second);
  const DecoderShape config = feature_config(target.config(), GetParam().first);
  const std::string folder = target.folder() + "/drafter";
  const FeatureTransformerModel model = written_model(target, config, folder);
  std::mt19937 random(3);
  const std::vector<Token> tokens = testing::random_tokens(random, config.vocab_size, 12);
  const std::vector<float> hidden = target.hidden(tokens);
  EngineDrafts engine(folder, hidden);
  const at::Tensor inputs =
      at::tensor(std::vector<std::int64_t>(tokens.begin() + 1, tokens.end())).unsqueeze(0);
  const std::int64_t first =
      config.num_layers == 1
          ? 7
          : 0;  // where one layer's first of four drafts of the last token begins
  const auto states =
      model.unrolled({inputs, as_tensor(hidden, config.feature_size).narrow(0, 0, 11).unsqueeze(0),
                      at::arange(first, 11).unsqueeze(0)},
                     4);
  const at::Tensor head = as_tensor(target.embedding(), config.hidden_size);
  for (std::size_t step = 0; step < states.size(); ++step) {
    const std::vector<Token> pending(tokens.begin(),
                                     tokens.end() - static_cast<std::ptrdiff_t>(step));
    const std::vector<float> drafted =
        engine.after(pending, {tokens.end() - static_cast<std::ptrdiff_t>(step), tokens.end()});
    const at::Tensor expected = at::matmul(head, states[step][0][10 - first]).contiguous();
    for (const Token token : config.draft_vocabulary)
      ASSERT_NEAR(drafted[static_cast<std::size_t>(token)], expected.const_data_ptr<float>()[token],
                  2e-4)
          << "step " << step << " token " << token;
    EXPECT_EQ(drafted[1], -std::numeric_limits<float>::infinity())
        << "token 1 is outside the draft vocabulary";
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, FeatureTransformer,
                         ::testing::Values(std::pair(1, 1), std::pair(2, 1), std::pair(1, 3),
                                           std::pair(2, 6)));

/// Its file has no more than its own: the tables of tokens are the target's.
TEST(FeatureTransformerFolder, HoldsAsManyWeightsAsAreCountedAsItsOwn) {
  const TinyTarget target;
  const DecoderShape config = feature_config(target.config(), 2);
  const std::string folder = target.folder() + "/drafter";
  written_model(target, config, folder);
  std::int64_t values = 0;
  const SafetensorsFile file = SafetensorsFile::open(folder + "/model.safetensors");
  for (const TensorInfo& tensor : file.tensors()) values += tensor.num_elements;
  EXPECT_EQ(config.num_parameters(), values);
  EXPECT_EQ(parameters_read(config),
            values + std::int64_t{config.hidden_size} * config.num_logits());
}

TEST(FeatureTransformerFolder, IsRefusedBesideAnotherTarget) {
  const TinyTarget target;
  const DecoderShape config = feature_config(target.config(), 1);
  const std::string folder = target.folder() + "/drafter";
  written_model(target, config, folder);
  write_feature_transformer_config({config, target.folder(), std::string(64, 'a')},
                                   folder + "/config.json");
  EXPECT_THROW(open_model(folder), ModelFileError);
  write_feature_transformer_config({config, folder, target.sha256()}, folder + "/config.json");
  EXPECT_THROW(open_model(folder), ModelFileError) << "its own target";
}

TEST(FeatureTransformerFolder, RefusesADraftVocabularyOutOfOrder) {
  const TinyTarget target;
  DecoderShape config = feature_config(target.config(), 1);
  std::swap(config.draft_vocabulary[3], config.draft_vocabulary[4]);
  const std::string path = target.folder() + "/config_of_drafter.json";
  write_feature_transformer_config({config, target.folder(), target.sha256()}, path);
  try {
    read_feature_transformer_config(path);
    FAIL() << "accepted";
  } catch (const ModelFileError& error) {
    EXPECT_NE(std::string(error.what()).find("rising order"), std::string::npos) << error.what();
  }
}

/// As many values in another order are another matrix.
TEST(FeatureTransformerFolder, IsRefusedWithATransposedMatrix) {
  const TinyTarget target;
  const DecoderShape config = feature_config(target.config(), 1);
  const std::string folder = target.folder() + "/drafter";
  FeatureTransformerModel model = written_model(target, config, folder);
  for (auto& parameter : model.parameters().all())
    if (parameter.name == "model.fusion.weight")
      parameter.value = parameter.value.detach().t().contiguous();
  write_drafter(model.parameters(), {"tokens\n", {}}, folder, [&](const std::string& path) {
    write_feature_transformer_config({config, target.folder(), target.sha256()}, path);
  });
  EXPECT_THROW(open_model(folder).weights->read(TensorRole::fusion, 0), ModelFileError);
}

}  // namespace
}  // namespace speclab::engines
