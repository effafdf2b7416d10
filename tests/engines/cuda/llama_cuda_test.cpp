// The device's model against the slow reference in float32, and against itself with other rows beside.

#include "engines/cuda/llama_cuda.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "engines/models/torch/llama_torch.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

using testing::commit_all;
using testing::copy_rows;

constexpr double kTolerance = 0.12;  ///< of the logits' root mean square: 2^-9 of weights and activations over a few products

LlamaConfig small_config(std::int32_t head_dim, std::int32_t heads, std::int32_t kv_heads, bool tied) {
  LlamaConfig config;
  config.name = "small";
  config.vocab_size = 263;  // no multiple of 16
  config.context_length = 1024;
  config.num_layers = 3;
  config.hidden_size = 96;
  config.intermediate_size = 160;
  config.num_heads = heads;
  config.num_kv_heads = kv_heads;
  config.head_dim = head_dim;
  config.tied_embeddings = tied;
  return config;
}

const std::vector<LlamaConfig>& configs() {
  static const std::vector<LlamaConfig> all{small_config(32, 3, 3, true), small_config(64, 6, 2, false), small_config(128, 4, 1, true), small_config(64, 9, 3, true)};
  return all;
}

class LlamaCuda : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!cuda::device_is_there()) GTEST_SKIP() << "no CUDA device is here";
    const auto weights = testing::tiny_weights(config());
    device_ = std::make_shared<cuda::Device>();
    fast_ = std::make_unique<cuda::LlamaCuda>(config(), *weights, device_);
    slow_ = std::make_unique<LlamaTorch>(config(), *weights, "cpu", "float32");
  }
  const LlamaConfig& config() const { return configs()[static_cast<std::size_t>(GetParam())]; }
  std::vector<Token> random_tokens(std::size_t count) { return testing::random_tokens(random_, config().vocab_size, count); }

  std::mt19937 random_{7};
  std::shared_ptr<cuda::Device> device_;
  std::unique_ptr<LanguageModel> fast_, slow_;
};

/// || a - b || / || b ||
double relative_distance(const std::vector<std::vector<float>>& a, const std::vector<std::vector<float>>& b) {
  double difference = 0, size = 0;
  for (std::size_t row = 0; row < b.size(); ++row)
    for (std::size_t i = 0; i < b[row].size(); ++i) {
      difference += std::pow(static_cast<double>(a[row][i]) - static_cast<double>(b[row][i]), 2);
      size += std::pow(static_cast<double>(b[row][i]), 2);
    }
  return std::sqrt(difference / size);
}

void expect_near(const char* what, const std::vector<std::vector<float>>& a, const std::vector<std::vector<float>>& b) {
  ASSERT_EQ(a.size(), b.size());
  const double distance = relative_distance(a, b);
  std::printf("%s: relative distance %.5f over %zu rows\n", what, distance, a.size());
  EXPECT_LT(distance, kTolerance) << what;  // NaN fails too
}

/// Weights with another head.
class RowsOfTheHead final : public LlamaWeights {
 public:
  RowsOfTheHead(const LlamaWeights& whole, std::vector<float> head) : whole_(whole), head_(std::move(head)) {}
  std::vector<float> read(LlamaTensor role, std::int32_t layer) const override { return role == LlamaTensor::head ? head_ : whole_.read(role, layer); }
  std::string sha256() const override { return whole_.sha256(); }

 private:
  const LlamaWeights& whole_;
  std::vector<float> head_;
};

/// 0 - 1 - 3, 0 - 2 - 4
void add_tree(std::vector<ForwardRow>& rows, std::int32_t slot, std::int32_t position) {
  const auto first = static_cast<std::int32_t>(rows.size());
  rows.push_back({40, position, slot, ForwardRow::kCommitted});
  rows.push_back({41, position + 1, slot, first});
  rows.push_back({42, position + 1, slot, first, false});
  rows.push_back({43, position + 2, slot, first + 1});
  rows.push_back({44, position + 2, slot, first + 2});
}

TEST_P(LlamaCuda, AgreesWithTheReferenceOnChainsTreesBatchesAndLongContexts) {
  const auto fast_cache = fast_->make_cache(3, 400), slow_cache = slow_->make_cache(3, 400);
  std::vector<ForwardRow> rows;
  for (const std::size_t length : {1U, 9U, 300U}) {
    const auto prefix = random_tokens(length);
    const std::int32_t slot = fast_cache->begin();
    ASSERT_EQ(slow_cache->begin(), slot);
    expect_near("prefix", commit_all(*fast_, *fast_cache, slot, prefix), commit_all(*slow_, *slow_cache, slot, prefix));
    add_tree(rows, slot, static_cast<std::int32_t>(length));
  }
  expect_near("trees", copy_rows(fast_->forward(rows, *fast_cache)), copy_rows(slow_->forward(rows, *slow_cache)));
  for (KvCache* cache : {fast_cache.get(), slow_cache.get()}) {
    cache->commit(1, std::vector<std::int32_t>{5, 7, 9});
    cache->commit(2, std::vector<std::int32_t>{10, 12});
  }
  for (const std::int32_t slot : {1, 2}) {
    const std::vector<Token> after{17, 4, 250};
    expect_near("after the path", commit_all(*fast_, *fast_cache, slot, after), commit_all(*slow_, *slow_cache, slot, after));
  }
}

/// The head of a draft vocabulary: the same products, and nothing elsewhere.
TEST_P(LlamaCuda, HasTheLogitsOfItsDraftVocabularyOnly) {
  LlamaConfig drafting = config();
  for (Token token = 2; token < drafting.vocab_size; token += 5) drafting.draft_vocabulary.push_back(token);
  const auto weights = testing::tiny_weights(config());
  const std::vector<float> table = weights->read(drafting.tied_embeddings ? LlamaTensor::embedding : LlamaTensor::head, 0);
  const auto tokens = random_tokens(11);
  const std::vector<std::vector<float>> whole = testing::logits_of(*fast_, tokens);
  cuda::LlamaCuda drafter(drafting, RowsOfTheHead(*weights, rows_of(drafting.draft_vocabulary, table, drafting.hidden_size)), device_);
  const std::vector<std::vector<float>> some = testing::logits_of(drafter, tokens);
  for (std::size_t row = 0; row < tokens.size(); ++row) {
    ASSERT_EQ(some[row].size(), whole[row].size());
    for (std::size_t token = 0; token < some[row].size(); ++token) EXPECT_EQ(some[row][token], token % 5 == 2 ? whole[row][token] : -std::numeric_limits<float>::infinity());
  }
}

TEST_P(LlamaCuda, ARowIsBitEqualWhateverRowsAreBesideIt) {
  constexpr std::size_t kPrefix = 118, kRows = 22;  // across the border of two splits
  const auto tokens = random_tokens(kPrefix + kRows);
  const auto last_rows = [&](std::size_t prefix, std::size_t at_once) {
    const auto cache = fast_->make_cache(1, 160);
    const std::int32_t slot = cache->begin();
    if (prefix > 0) commit_all(*fast_, *cache, slot, std::span(tokens).first(prefix));
    std::vector<std::vector<float>> logits;
    for (std::size_t begin = prefix; begin < tokens.size(); begin += at_once)
      for (auto& row : commit_all(*fast_, *cache, slot, std::span(tokens).subspan(begin, std::min(at_once, tokens.size() - begin)))) logits.push_back(row);
    logits.erase(logits.begin(), logits.end() - kRows);
    return logits;
  };
  const auto one_by_one = last_rows(kPrefix, 1);
  for (const std::size_t at_once : {2U, 5U, 8U, 9U, 16U, 22U}) EXPECT_EQ(last_rows(kPrefix, at_once), one_by_one) << at_once << " rows at once";
  for (const std::size_t at_once : {27U, 64U, 140U}) EXPECT_EQ(last_rows(0, at_once), one_by_one) << at_once << " rows at once from the beginning";
}

TEST_P(LlamaCuda, HiddenStatesAreWhatTheHeadMultipliesAndStreamsBehindLayers) {
  std::vector<std::vector<float>> states[3][2];
  LanguageModel* models[2] = {fast_.get(), slow_.get()};
  for (int i = 0; i < 2; ++i) {
    const auto cache = models[i]->make_cache(1, 16);
    std::vector<ForwardRow> rows = testing::chain_rows(std::vector<Token>{7, 8, 9, 10}, cache->begin(), 0);
    rows[0].wants_logits = false;
    rows[1].wants_hidden = rows[3].wants_hidden = true;
    rows[3].wants_logits = false;
    const ForwardResult result = models[i]->forward(rows, *cache);
    EXPECT_EQ(result.logits.size(), 2 * static_cast<std::size_t>(config().vocab_size));
    ASSERT_EQ(result.state_size, 3 * config().hidden_size);
    for (std::size_t row = 0; row < 2; ++row)
      for (std::size_t place = 0; place < 3; ++place) {
        const std::span<const float> state = result.hidden_row(row).subspan(place * result.hidden_row(row).size() / 3, result.hidden_row(row).size() / 3);
        states[place][i].emplace_back(state.begin(), state.end());
      }
  }
  expect_near("last states", states[0][0], states[0][1]);
  expect_near("behind the first layer", states[1][0], states[1][1]);
  expect_near("behind the second layer", states[2][0], states[2][1]);
}

TEST_P(LlamaCuda, AForkGoesOnAlike) {
  const auto cache = fast_->make_cache(2, 64);
  const std::int32_t slot = cache->begin();
  commit_all(*fast_, *cache, slot, random_tokens(20));
  const std::int32_t fork = cache->fork(slot);
  const std::vector<Token> after{3, 2, 1};
  EXPECT_EQ(commit_all(*fast_, *cache, slot, after), commit_all(*fast_, *cache, fork, after));
}

INSTANTIATE_TEST_SUITE_P(HeadSizes, LlamaCuda, ::testing::Values(0, 1, 2, 3));

}  // namespace
}  // namespace speclab::engines
