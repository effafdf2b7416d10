// A part of the losslessness run (scripts/losslessness) on the default model: 2 to 6 prompts of 32
// to 64 tokens, float32. The small transformer is the target without its last layers, so it needs
// no trained drafter.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engines/cpu/mlp_speculator_cpu.h"
#include "engines/families/catalogue.h"
#include "sim/system/files.h"
#include "tests/engines/decoding/tiny_decoding.h"
#include "tests/engines/drafters/ngram_drafting.h"
#include "tests/support/test_size.h"

namespace speclab::engines {
namespace {

using testing::decode;
using testing::output_ids;

constexpr std::int32_t kDrafterLayers = 26;
const std::uint32_t kPrompts = speclab::testing::by_size(2u, 3u, 6u);
const std::int32_t kNewTokens = speclab::testing::by_size(24, 32, 64);

class DefaultModelLosslessness : public ::testing::Test, public DrafterModels {
 protected:
  static std::shared_ptr<LanguageModel> load(std::int32_t num_layers) {
    ModelSource source = open_model("smollm2-135m");
    if (num_layers > 0) source.config.num_layers = num_layers;
    return model_of(source);
  }
  static std::shared_ptr<LanguageModel> model_of(
      const ModelSource& source, const cpu::NumberForms& numbers = cpu::ElementType::float32) {
    return std::make_shared<cpu::DecoderCpu>(
        source.config, *source.weights, numbers,
        std::make_shared<cpu::ThreadTeam>(cpu::default_num_threads()));
  }

  /// Prompts of different categories, as the peers' fixture has them.
  static std::vector<Request> requests() {
    const auto fixture =
        nlohmann::json::parse(read_file(SPECLAB_SOURCE_DIR "/tests/golden/model_smollm2.json"));
    std::vector<Request> some;
    for (std::uint32_t i = 0; i < kPrompts; ++i)
      some.push_back({i, fixture["prompts"][2 * i]["ids"].get<std::vector<Token>>()});
    return some;
  }

  static void SetUpTestSuite() {
    target_ = load(0);
    drafter_ = load(kDrafterLayers);
    PlainDecoder decoder(*target_, nullptr, options({}));
    plain_ = output_ids(decode(decoder, requests(), 0));
  }
  static void TearDownTestSuite() { target_ = drafter_ = feature_drafter_ = nullptr; }

  static DecoderOptions options(const DrafterOptions& drafter) {
    return {.sampling = {.temperature = 0},
            .stop = {.max_new_tokens = kNewTokens, .ignore_eos = true},
            .drafter = drafter};
  }

  std::shared_ptr<LanguageModel> language_model(const std::string& kind,
                                                const std::string&) override {
    if (kind == "small_transformer") return drafter_;
    if (!feature_drafter_) feature_drafter_ = model_of(open_model("smollm2-feature"));
    return feature_drafter_;
  }
  std::shared_ptr<MlpSpeculator> mlp_speculator(const std::string&) override {
    const MlpSpeculatorSource source = open_mlp_speculator("smollm2-mlp");
    return std::make_shared<cpu::MlpSpeculatorCpu>(
        source.config, *source.weights, cpu::ElementType::float32,
        std::make_shared<cpu::ThreadTeam>(cpu::default_num_threads()));
  }
  std::shared_ptr<const NgramModel> ngrams(const std::string& kind, const std::string&) override {
    return testing::ngrams_of(plain_, target_->info().vocab_size,
                              {.order = kind == "unigram"  ? 1
                                        : kind == "bigram" ? 2
                                                           : 5,
                               .max_successors = 4});
  }

  void expect_plain_tokens(const DrafterOptions& drafter, int speculation_length) {
    expect_tokens(*target_, plain_, drafter, speculation_length);
  }

  void expect_tokens(LanguageModel& target, const std::vector<std::vector<Token>>& plain,
                     const DrafterOptions& drafter, int speculation_length) {
    const DecoderOptions wanted = options(drafter);
    HostRoundDecoder decoder(target, nullptr, wanted, make_drafter(wanted, target.info(), *this),
                             make_verifier(wanted));
    const auto records = decode(decoder, requests(), speculation_length);
    EXPECT_EQ(output_ids(records), plain);
    std::size_t rounds = 0;
    for (const GenerationRecord& record : records) rounds += record.rounds.size();
    EXPECT_LT(rounds, kPrompts * static_cast<std::size_t>(kNewTokens))
        << "no draft was ever accepted: the test would see little";
  }

  static std::shared_ptr<LanguageModel> target_, drafter_, feature_drafter_;
  static std::vector<std::vector<Token>> plain_;
};

std::shared_ptr<LanguageModel> DefaultModelLosslessness::target_,
    DefaultModelLosslessness::drafter_, DefaultModelLosslessness::feature_drafter_;
std::vector<std::vector<Token>> DefaultModelLosslessness::plain_;

TEST_F(DefaultModelLosslessness, OfPromptLookup) {
  expect_plain_tokens({.kind = "prompt_lookup"}, 8);
}
// Catches a sum of low-bit weights that depends on the rows beside it.
TEST_F(DefaultModelLosslessness, OfStoredWeightsInEachArithmetic) {
  const ModelSource source = open_model("smollm2-135m");
  for (const auto kind :
       {cpu::ProductKind::exact, cpu::ProductKind::int8, cpu::ProductKind::bfloat16}) {
    const auto target = model_of(source, {cpu::WeightChoice::file, kind});
    SCOPED_TRACE(target->info().dtype);
    PlainDecoder decoder(*target, nullptr, options({}));
    const auto plain = output_ids(decode(decoder, requests(), 0));
    expect_tokens(*target, plain, {.kind = "prompt_lookup"}, 8);
    expect_tokens(*target, plain, {.kind = "small_transformer"}, 4);
  }
}

TEST_F(DefaultModelLosslessness, OfUnigram) { expect_plain_tokens({.kind = "unigram"}, 2); }
TEST_F(DefaultModelLosslessness, OfBigram) { expect_plain_tokens({.kind = "bigram"}, 4); }
TEST_F(DefaultModelLosslessness, OfFiveGram) { expect_plain_tokens({.kind = "ngram"}, 5); }
TEST_F(DefaultModelLosslessness, OfLookupAndFiveGram) {
  expect_plain_tokens({.kind = "lookup_ngram"}, 8);
}
TEST_F(DefaultModelLosslessness, OfASmallTransformersChain) {
  expect_plain_tokens({.kind = "small_transformer"}, 3);
}
TEST_F(DefaultModelLosslessness, OfAFeatureTransformersChain) {
  expect_plain_tokens({.kind = "feature_transformer"}, 3);
}
TEST_F(DefaultModelLosslessness, OfAnMlpSpeculatorsChain) {
  expect_plain_tokens({.kind = "mlp_speculator"}, 3);
}
TEST_F(DefaultModelLosslessness, OfAFeatureTransformersTree) {
  expect_plain_tokens({.kind = "feature_transformer", .tree = "best_first:8"}, 3);
}
TEST_F(DefaultModelLosslessness, OfLookupAndAFeatureTransformer) {
  expect_plain_tokens({.kind = "lookup_transformer"}, 8);
}
TEST_F(DefaultModelLosslessness, OfAMixture) {
  expect_plain_tokens({.kind = "mixture",
                       .parts = {{.kind = "feature_transformer", .weight = 4.0},
                                 {.kind = "ngram"},
                                 {.kind = "prompt_lookup"}}},
                      4);
}
TEST_F(DefaultModelLosslessness, OfASmallTransformersTree) {
  expect_plain_tokens({.kind = "small_transformer", .tree = "3x1"}, 2);
}

}  // namespace
}  // namespace speclab::engines
