// The default model against Hugging Face's LlamaForCausalLM in float32
// (tests/golden/make_model_fixture.py).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engines/cpu/decoder_cpu.h"
#include "engines/families/catalogue.h"
#include "engines/models/commit_chain.h"
#include "engines/reference/decoder_torch.h"
#include "sim/system/files.h"
#include "tests/support/test_size.h"

namespace speclab::engines {
namespace {

constexpr double kLogitTolerance = 3e-4;
constexpr double kClearMargin = 1e-3;

const nlohmann::json& fixture() {
  static const nlohmann::json object =
      nlohmann::json::parse(read_file(SPECLAB_SOURCE_DIR "/tests/golden/model_smollm2.json"));
  return object;
}

/// Both paths over the default model's weights, loaded once.
class DefaultModel : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const ModelSource source = open_model("smollm2-135m");
    fast_ = std::make_unique<cpu::DecoderCpu>(
        source.config, *source.weights, cpu::ElementType::float32,
        std::make_shared<cpu::ThreadTeam>(cpu::default_num_threads()));
    slow_ = std::make_unique<DecoderTorch>(source.config, *source.weights, "cpu", "float32");
  }
  static void TearDownTestSuite() {
    fast_.reset();
    slow_.reset();
  }

  static std::unique_ptr<LanguageModel> fast_, slow_;
};

std::unique_ptr<LanguageModel> DefaultModel::fast_, DefaultModel::slow_;

Token arg_max(std::span<const float> logits) {
  return static_cast<Token>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

double log_sum_exp(std::span<const float> logits) {
  const double largest = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - largest);
  return largest + std::log(sum);
}

/// Largest distance between the logits of the sampled vocabulary and the fixture's.
double largest_difference(std::span<const float> logits, const nlohmann::json& expected) {
  double largest = std::abs(log_sum_exp(logits) - expected["log_sum_exp"].get<double>());
  const nlohmann::json& sample = fixture()["vocabulary_sample"];
  for (std::size_t i = 0; i < sample.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(logits[sample[i].get<std::size_t>()]) -
                                         expected["logits"][i].get<double>()));
  return largest;
}

/// @return the largest difference over the first `count` prompts
double compare_logits(LanguageModel& model, std::size_t count) {
  double largest = 0;
  for (std::size_t p = 0; p < count; ++p) {
    const nlohmann::json& prompt = fixture()["prompts"][p];
    const auto ids = prompt["ids"].get<std::vector<Token>>();
    const auto cache = model.make_cache(1, static_cast<std::int32_t>(ids.size()));
    const std::span<const float> logits =
        commit_chain_with_logits(model, *cache, cache->begin(), {ids}).row(0);
    EXPECT_EQ(arg_max(logits), prompt["arg_max"].get<Token>()) << "prompt " << p;
    largest = std::max(largest, largest_difference(logits, prompt));
  }
  return largest;
}

TEST_F(DefaultModel, LogitsAreThoseOfThePeer) {
  ASSERT_GE(fixture()["prompts"].size(), 20U);
  const double largest = compare_logits(*fast_, fixture()["prompts"].size());
  RecordProperty("largest_difference", std::to_string(largest));
  EXPECT_LE(largest, kLogitTolerance);
}

TEST_F(DefaultModel, SlowReferenceGivesTheSameLogits) {
  EXPECT_LE(compare_logits(*slow_, 4), kLogitTolerance);
}

/// Continuations of all prompts in one batch; @return per prompt its tokens
std::vector<std::vector<Token>> greedy_continuations(LanguageModel& model, std::size_t count) {
  const nlohmann::json& prompts = fixture()["prompts"];
  const auto cache = model.make_cache(static_cast<std::int32_t>(prompts.size()), 1024);
  std::vector<std::vector<Token>> continuations;
  for (const nlohmann::json& prompt : prompts) {
    const auto ids = prompt["ids"].get<std::vector<Token>>();
    continuations.push_back(
        {arg_max(commit_chain_with_logits(model, *cache, cache->begin(), {ids}).row(0))});
  }
  while (continuations.front().size() < count) {
    std::vector<ForwardRow> rows;
    for (std::int32_t s = 0; s < static_cast<std::int32_t>(prompts.size()); ++s)
      rows.push_back({continuations[static_cast<std::size_t>(s)].back(), cache->length(s), s});
    const ForwardResult result = model.forward(rows, *cache);
    for (std::int32_t s = 0; s < static_cast<std::int32_t>(prompts.size()); ++s) {
      cache->commit(s, {&s, 1});
      continuations[static_cast<std::size_t>(s)].push_back(
          arg_max(result.row(static_cast<std::size_t>(s))));
    }
  }
  return continuations;
}

TEST_F(DefaultModel, GreedyContinuationsAreThoseOfThePeer) {
  const auto count = speclab::testing::by_size<std::ptrdiff_t>(12, 24, 64);
  const auto continuations = greedy_continuations(*fast_, static_cast<std::size_t>(count));
  std::size_t equal = 0;
  for (std::size_t p = 0; p < continuations.size(); ++p) {
    const nlohmann::json& prompt = fixture()["prompts"][p];
    const auto expected = prompt["greedy"].get<std::vector<Token>>();
    ASSERT_EQ(expected.size(), 64U);
    const auto parting =
        std::mismatch(expected.begin(), expected.begin() + count, continuations[p].begin()).first -
        expected.begin();
    equal += static_cast<std::size_t>(parting);
    if (parting == count) continue;
    EXPECT_LE(prompt["margins"][static_cast<std::size_t>(parting)].get<double>(), kClearMargin)
        << "prompt " << p << ", token " << parting;
  }
  RecordProperty("equal_tokens", std::to_string(equal));
  EXPECT_GE(equal, continuations.size() * static_cast<std::size_t>(count - 1))
      << "behind a near tie the texts part and are not compared: too many did";
}

TEST_F(DefaultModel, PerplexityOfHeldOutTextIsThatOfThePeer) {
  const auto ids = fixture()["held_out"]["ids"].get<std::vector<Token>>();
  ASSERT_GE(ids.size(), 400U);
  const auto cache = fast_->make_cache(1, static_cast<std::int32_t>(ids.size()));
  const std::int32_t slot = cache->begin();
  std::vector<ForwardRow> rows;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(ids.size()); ++i)
    rows.push_back({ids[static_cast<std::size_t>(i)], i, slot, i - 1});
  const ForwardResult result = fast_->forward(rows, *cache);
  double sum = 0;
  for (std::size_t i = 0; i + 1 < ids.size(); ++i)
    sum += log_sum_exp(result.row(i)) -
           static_cast<double>(result.row(i)[static_cast<std::size_t>(ids[i + 1])]);
  const double mean = sum / static_cast<double>(ids.size() - 1);
  const double ratio =
      std::exp(mean - fixture()["held_out"]["mean_negative_log_likelihood"].get<double>());
  RecordProperty("perplexity_ratio", std::to_string(ratio));
  EXPECT_NEAR(ratio, 1.0, 1e-3);
}

}  // namespace
}  // namespace speclab::engines
