// The default model against Hugging Face's LlamaForCausalLM in float32 (tests/golden/make_model_fixture.py).

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engines/models/catalogue.h"
#include "engines/models/cpu/llama_cpu.h"
#include "engines/models/torch/llama_torch.h"
#include "sim/core/files.h"

namespace speclab::engines {
namespace {

constexpr double kLogitTolerance = 3e-4;
constexpr double kClearMargin = 1e-3;

const nlohmann::json& fixture() {
  static const nlohmann::json object = nlohmann::json::parse(read_file(SPECLAB_SOURCE_DIR "/tests/golden/model_smollm2.json"));
  return object;
}

/// Both paths over the default model's weights, loaded once.
class DefaultModel : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const ModelSource source = open_model("smollm2-135m");
    fast_ = std::make_unique<cpu::LlamaCpu>(source.config, *source.weights, cpu::ElementType::float32,
                                            std::make_shared<cpu::ThreadTeam>(cpu::default_num_threads()));
    slow_ = std::make_unique<LlamaTorch>(source.config, *source.weights, "cpu", "float32");
  }
  static void TearDownTestSuite() {
    fast_.reset();
    slow_.reset();
  }

  static std::unique_ptr<LanguageModel> fast_, slow_;
};

std::unique_ptr<LanguageModel> DefaultModel::fast_, DefaultModel::slow_;

/// One sequence that is fed token by token or in chunks.
class Reader {
 public:
  Reader(LanguageModel& model, std::size_t capacity) : model_(model), cache_(model.make_cache(1, static_cast<std::int32_t>(capacity))) { cache_->begin(); }

  ForwardResult feed(std::span<const Token> tokens, bool all_logits = false) {
    std::vector<ForwardRow> rows;
    std::vector<std::int32_t> path(tokens.size());
    std::iota(path.begin(), path.end(), 0);
    for (const std::int32_t i : path) {
      const auto index = static_cast<std::size_t>(i);
      rows.push_back({tokens[index], cache_->length(0) + i, 0, i - 1, all_logits || index + 1 == tokens.size()});
    }
    const ForwardResult result = model_.forward(rows, *cache_);
    cache_->commit(0, path);
    return result;
  }

 private:
  LanguageModel& model_;
  std::unique_ptr<KvCache> cache_;
};

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
    largest = std::max(largest, std::abs(static_cast<double>(logits[sample[i].get<std::size_t>()]) - expected["logits"][i].get<double>()));
  return largest;
}

/// @return the largest difference over the first `count` prompts
double compare_logits(LanguageModel& model, std::size_t count) {
  double largest = 0;
  for (std::size_t p = 0; p < count; ++p) {
    const nlohmann::json& prompt = fixture()["prompts"][p];
    const auto ids = prompt["ids"].get<std::vector<Token>>();
    const std::span<const float> logits = Reader(model, ids.size()).feed(ids).row(0);
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

TEST_F(DefaultModel, SlowReferenceGivesTheSameLogits) { EXPECT_LE(compare_logits(*slow_, 4), kLogitTolerance); }

TEST_F(DefaultModel, GreedyContinuationsAreThoseOfThePeer) {
  std::size_t equal = 0, total = 0;
  for (const nlohmann::json& prompt : fixture()["prompts"]) {
    const auto ids = prompt["ids"].get<std::vector<Token>>();
    const auto expected = prompt["greedy"].get<std::vector<Token>>();
    ASSERT_EQ(expected.size(), 64U);
    total += expected.size();
    Reader reader(*fast_, ids.size() + expected.size());
    Token token = arg_max(reader.feed(ids).row(0));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (token != expected[i]) {
        EXPECT_LE(prompt["margins"][i].get<double>(), kClearMargin) << "token " << i << " after " << ids.size();
        break;  // behind a near tie the texts part
      }
      ++equal;
      token = arg_max(reader.feed({&token, 1}).row(0));
    }
  }
  EXPECT_GE(static_cast<double>(equal), 0.99 * static_cast<double>(total)) << equal << " of " << total << " tokens were compared";
}

TEST_F(DefaultModel, PerplexityOfHeldOutTextIsThatOfThePeer) {
  const auto ids = fixture()["held_out"]["ids"].get<std::vector<Token>>();
  ASSERT_GE(ids.size(), 400U);
  const ForwardResult result = Reader(*fast_, ids.size()).feed(ids, true);
  double sum = 0;
  for (std::size_t i = 0; i + 1 < ids.size(); ++i)
    sum += log_sum_exp(result.row(i)) - static_cast<double>(result.row(i)[static_cast<std::size_t>(ids[i + 1])]);
  const double mean = sum / static_cast<double>(ids.size() - 1);
  EXPECT_NEAR(std::exp(mean - fixture()["held_out"]["mean_negative_log_likelihood"].get<double>()), 1.0, 1e-3);
}

}  // namespace
}  // namespace speclab::engines
