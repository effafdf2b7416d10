#include "engines/reference/decoder_torch.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sim/system/errors.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

using testing::commit_all;
using testing::copy_rows;

constexpr double kFloatTolerance = 2e-5;  ///< two orders of summation in float32
constexpr double kBFloat16Tolerance =
    0.15;  ///< 2^-8 of logits up to 10, several times: this path rounds keys and softmax too

void expect_near(const std::vector<std::vector<float>>& a, const std::vector<std::vector<float>>& b,
                 double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t row = 0; row < a.size(); ++row)
    for (std::size_t i = 0; i < a[row].size(); ++i)
      ASSERT_NEAR(static_cast<double>(a[row][i]), static_cast<double>(b[row][i]), tolerance)
          << "row " << row << " token " << i;
}

/// The same tiny model twice, and one cache of each.
class TwoModels {
 public:
  TwoModels(cpu::ElementType type, const std::string& dtype,
            const DecoderShape& config = testing::tiny_config())
      : config_(config),
        fast_(testing::tiny_model(config_, {.type = type})),
        slow_(config_, *testing::tiny_weights(config_), "cpu", dtype) {}

  /// Commits a prefix, forwards the rows, commits the path and continues, in both.
  void compare(double tolerance) {
    std::mt19937 random(5);
    const auto fast_cache = fast_->make_cache(2, 64), slow_cache = slow_.make_cache(2, 64);
    std::vector<ForwardRow> rows;
    for (const std::size_t length : {9U, 20U}) {
      const auto prefix = testing::random_tokens(random, config_.vocab_size, length);
      const std::int32_t slot = fast_cache->begin();
      ASSERT_EQ(slow_cache->begin(), slot);
      expect_near(commit_all(*fast_, *fast_cache, slot, prefix),
                  commit_all(slow_, *slow_cache, slot, prefix), tolerance);
      add_tree(rows, slot, static_cast<std::int32_t>(length));
    }
    expect_near(copy_rows(fast_->forward(rows, *fast_cache)),
                copy_rows(slow_.forward(rows, *slow_cache)), tolerance);
    const std::vector<std::int32_t> path{5, 7, 9};
    fast_cache->commit(1, path);
    slow_cache->commit(1, path);
    const std::vector<Token> after{17, 4, 250};
    expect_near(commit_all(*fast_, *fast_cache, 1, after), commit_all(slow_, *slow_cache, 1, after),
                tolerance);
    expect_fork_equal(*slow_cache);
  }

 private:
  /// 0 - 1 - 3, 0 - 2 - 4
  static void add_tree(std::vector<ForwardRow>& rows, std::int32_t slot, std::int32_t position) {
    const auto first = static_cast<std::int32_t>(rows.size());
    rows.push_back({40, position, slot, ForwardRow::kCommitted});
    rows.push_back({41, position + 1, slot, first});
    rows.push_back({42, position + 1, slot, first, false});
    rows.push_back({43, position + 2, slot, first + 1});
    rows.push_back({44, position + 2, slot, first + 2});
  }

  void expect_fork_equal(KvCache& cache) {
    cache.release(0);
    const std::int32_t fork = cache.fork(1);
    const std::vector<Token> after{3, 2, 1};
    expect_near(commit_all(slow_, cache, 1, after), commit_all(slow_, cache, fork, after), 0.0);
    cache.truncate(fork, 5);
    EXPECT_EQ(cache.length(fork), 5);
  }

  DecoderShape config_;
  std::unique_ptr<LanguageModel> fast_;
  DecoderTorch slow_;
};

TEST(DecoderTorch, AgreesWithTheFastPathInFloat32) {
  TwoModels(cpu::ElementType::float32, "float32").compare(kFloatTolerance);
}

TEST(DecoderTorch, AgreesWithTheFastPathInBFloat16) {
  TwoModels(cpu::ElementType::bfloat16, "bfloat16").compare(kBFloat16Tolerance);
}

TEST(DecoderTorch, AgreesWithTheFastPathOnADraftVocabulary) {
  DecoderShape config = testing::tiny_config();
  for (Token token = 1; token < config.vocab_size; token += 3)
    config.draft_vocabulary.push_back(token);
  TwoModels(cpu::ElementType::float32, "float32", config).compare(kFloatTolerance);
}

/// `normed` is the stream divided by its root mean square, times the gains.
void expect_normed(std::span<const float> stream, const std::vector<float>& gains,
                   const std::vector<float>& normed) {
  double square = 0;
  for (const float value : stream) square += value * value;
  const double scale = 1 / std::sqrt(square / static_cast<double>(stream.size()) + 1e-5);
  for (std::size_t i = 0; i < gains.size(); ++i)
    EXPECT_NEAR(stream[i] * scale * gains[i], normed[i], kFloatTolerance);
}

/// A prompt and a tree behind it with a feature a row; hidden states of some rows, logits of
/// others.
std::vector<std::vector<float>> hidden_of_features(LanguageModel& model,
                                                   const std::vector<float>& features,
                                                   std::vector<std::vector<float>>& logits) {
  const auto width = static_cast<std::size_t>(model.info().feature_size);
  const auto cache = model.make_cache(1, 16);
  const std::int32_t slot = cache->begin();
  std::vector<ForwardRow> rows = testing::chain_rows(std::vector<Token>{7, 8, 9, 10}, slot, 0);
  rows.push_back({11, 4, slot, 3, false});
  rows.push_back({12, 4, slot, 3, true, true});
  rows.push_back({13, 5, slot, 4, false, true});
  for (std::size_t i = 0; width > 0 && i < rows.size(); ++i) rows[i].feature = &features[i * width];
  rows[0].wants_logits = false;
  rows[1].wants_hidden = true;
  const ForwardResult result = model.forward(rows, *cache);
  logits = copy_rows(result);
  std::vector<std::vector<float>> hidden;
  for (std::size_t i = 0; i < 3; ++i)
    hidden.emplace_back(result.hidden_row(i).begin(), result.hidden_row(i).end());
  EXPECT_EQ(result.hidden.size(), 3 * static_cast<std::size_t>(model.info().state_size()));
  EXPECT_EQ(logits.size(), 4u);
  return hidden;
}

/// The last state is what the head multiplies; those of layers are what a model of no more layers
/// would norm at its end.
TEST(DecoderTorch, AgreesWithTheFastPathOnStatesBehindLayers) {
  DecoderShape config = testing::tiny_config();
  config.num_layers = 7;
  const auto fast = testing::tiny_model(config);
  DecoderTorch slow(config, *testing::tiny_weights(config), "cpu", "float32");
  EXPECT_EQ(config.state_layers(), (std::vector<std::int32_t>{1, 3}));
  std::vector<std::vector<float>> logits;
  const auto states = hidden_of_features(*fast, {}, logits);
  ASSERT_EQ(states.front().size(), 3u * static_cast<std::size_t>(config.hidden_size));
  expect_near(states, hidden_of_features(slow, {}, logits), kFloatTolerance);
  for (std::size_t place = 1; place < 3; ++place) {
    DecoderShape shorter = config;
    shorter.num_layers = config.state_layers()[place - 1] + 1;
    const auto ends_there = testing::tiny_model(shorter);
    const std::vector<float> gains =
        testing::tiny_weights(shorter)->read(TensorRole::output_norm, 0);
    const auto normed = hidden_of_features(*ends_there, {}, logits);
    for (std::size_t row = 0; row < states.size(); ++row)
      expect_normed(std::span(states[row]).subspan(place * gains.size(), gains.size()), gains,
                    normed[row]);
  }
}

TEST(DecoderTorch, AgreesWithTheFastPathOnFeaturesAndHiddenStates) {
  const DecoderShape target = testing::tiny_config();
  const auto fast = testing::tiny_feature_model(target);
  DecoderTorch slow(testing::tiny_feature_config(target), *testing::tiny_feature_weights(target),
                    "cpu", "float32");
  std::mt19937 random(11);
  std::vector<float> features(static_cast<std::size_t>(7 * fast->info().feature_size));
  for (float& value : features) value = static_cast<float>(random() % 2001) / 500.0f - 2.0f;
  std::vector<std::vector<float>> fast_logits, slow_logits;
  expect_near(hidden_of_features(*fast, features, fast_logits),
              hidden_of_features(slow, features, slow_logits), kFloatTolerance);
  expect_near(fast_logits, slow_logits, kFloatTolerance);
  EXPECT_EQ(fast_logits[0].size(), fast->info().draft_vocabulary.size());
}

TEST(DecoderTorch, WantsFeaturesWhereTheModelReadsThem) {
  const DecoderShape target = testing::tiny_config();
  const auto reads = testing::tiny_feature_model(target), reads_none = testing::tiny_model(target);
  const std::vector<float> feature(static_cast<std::size_t>(target.hidden_size));
  for (LanguageModel* model : {reads.get(), reads_none.get()}) {
    const auto cache = model->make_cache(1, 4);
    const bool given = model == reads_none.get();
    EXPECT_THROW(
        model->forward(std::vector<ForwardRow>{{1, 0, cache->begin(), ForwardRow::kCommitted, true,
                                                false, given ? feature.data() : nullptr}},
                       *cache),
        ContractError);
  }
}

TEST(DecoderTorch, RefusesTheOtherModelsCache) {
  const DecoderShape config = testing::tiny_config();
  DecoderTorch slow(config, *testing::tiny_weights(config), "cpu", "float32");
  const auto fast = testing::tiny_model(config);
  const auto slow_cache = slow.make_cache(1, 16), fast_cache = fast->make_cache(1, 16);
  const std::vector<ForwardRow> rows{{1, 0, 0, ForwardRow::kCommitted}};
  slow_cache->begin();
  fast_cache->begin();
  EXPECT_THROW(slow.forward(rows, *fast_cache), ContractError);
  EXPECT_THROW(fast->forward(rows, *slow_cache), ContractError);
}

TEST(DecoderTorch, SaysWhenThereIsNoDevice) {
  if (at::hasCUDA()) GTEST_SKIP() << "a CUDA device is here";
  const DecoderShape config = testing::tiny_config();
  EXPECT_THROW(DecoderTorch(config, *testing::tiny_weights(config), "cuda", "float32"),
               DeviceError);
}

}  // namespace
}  // namespace speclab::engines
