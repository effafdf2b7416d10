// Shapes beyond Llama's own that the device runs: biases of queries, keys and values (Qwen2), and
// scaled rotary positions (Llama 3), against the slow reference in float32.
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "engines/cuda/device_llama.h"
#include "engines/cuda/llama_cuda.h"
#include "engines/reference/decoder_torch.h"
#include "tests/engines/cuda/every_head_size.h"
#include "tests/engines/cuda/relative_distance.h"

namespace speclab::engines {
namespace {

using cuda::relative_distance;

constexpr double kNearReference = 0.12;  ///< as in llama_cuda_test.cpp

std::vector<float> logits_of_chain(LanguageModel& model, std::span<const Token> tokens) {
  std::vector<float> flat;
  for (const std::vector<float>& row : testing::logits_of(model, tokens))
    flat.insert(flat.end(), row.begin(), row.end());
  return flat;
}

DecoderShape with_scaling(RotaryScaling::Kind kind) {
  DecoderShape shape = testing::head_size_config(64, 3, 1, true);
  shape.num_layers = 2;
  shape.rotary_scaling = {.kind = kind, .factor = 8, .original_context = 16};
  return shape;
}

DecoderShape with_biases(const DecoderShape& plain) {
  DecoderShape shape = plain;
  shape.query_key_value_bias = true;
  return shape;
}

/// The tiny model's weights, whose biases would be zero, with random ones.
class WeightsWithBiases final : public DecoderWeights {
 public:
  explicit WeightsWithBiases(const DecoderShape& shape)
      : shape_(shape), others_(testing::tiny_weights(shape)) {}
  std::vector<float> read(TensorRole role, std::int32_t layer) const override {
    using enum TensorRole;
    if (role != query_bias && role != key_bias && role != value_bias)
      return others_->read(role, layer);
    std::mt19937 random(static_cast<unsigned>(layer) * 100 + static_cast<unsigned>(role));
    std::normal_distribution<float> values(0.0f, 1.0f);
    std::vector<float> bias(static_cast<std::size_t>(num_elements(role, shape_)));
    for (float& value : bias) value = values(random);
    return bias;
  }
  std::string sha256() const override { return others_->sha256(); }

 private:
  DecoderShape shape_;
  std::unique_ptr<DecoderWeights> others_;
};

class BeyondLlama : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::device_is_there()) GTEST_SKIP() << "no CUDA device is here";
  }

  /// Logits of the device are near the reference's, and those of another shape are not.
  void expect_heeded(const DecoderShape& shape, const DecoderShape& other) {
    const WeightsWithBiases weights(shape);
    cuda::LlamaCuda fast(shape, weights, std::make_shared<cuda::Device>());
    DecoderTorch slow(shape, weights, "cpu", "float32"), wrong(other, weights, "cpu", "float32");
    std::mt19937 random(3);
    const auto tokens = testing::random_tokens(random, shape.vocab_size, 40);
    const std::vector<float> right = logits_of_chain(slow, tokens);
    EXPECT_LT(relative_distance(logits_of_chain(fast, tokens), right), kNearReference);
    EXPECT_GT(relative_distance(logits_of_chain(wrong, tokens), right), 2 * kNearReference)
        << "the test would not see it";
  }
};

/// Defect: a bias is added to another row than its own, after the turn, or not at all.
TEST_F(BeyondLlama, AddsTheBiasesOfQueriesKeysAndValues) {
  const DecoderShape plain = testing::head_size_config(64, 6, 2, false);
  expect_heeded(with_biases(plain), plain);
}

/// Defect: positions turn as unscaled ones, or magnitudes of cosine and sine are lost.
TEST_F(BeyondLlama, TurnsByScaledFrequencies) {
  using enum RotaryScaling::Kind;
  for (const RotaryScaling::Kind kind : {linear, dynamic, yarn, llama3})
    expect_heeded(with_scaling(kind), with_scaling(none));
}

/// Defect: a shape of which the kernels lack something is run, and its logits mean nothing.
TEST_F(BeyondLlama, IsRefusedBeyondThat) {
  DecoderShape shape = with_biases(with_scaling(RotaryScaling::Kind::llama3));
  EXPECT_EQ(cuda::DeviceLlama::lacking(shape), std::nullopt);
  shape.attention_output_bias = true;
  EXPECT_NE(cuda::DeviceLlama::lacking(shape).value_or("").find("biases"), std::string::npos);
}

}  // namespace
}  // namespace speclab::engines
