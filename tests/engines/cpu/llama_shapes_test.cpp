// Odd shapes, and the kernel sets against each other: same sums, other roundings.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

struct Shape {
  const char* name;
  std::int32_t vocab, hidden, intermediate, heads, kv_heads, head_dim;
  bool tied;
};

const std::vector<Shape> kShapes{
    {"Smallest", 1, 16, 16, 1, 1, 16, true},
    {"VocabularyOfNoMultiple", 101, 16, 16, 1, 1, 16, false},
    {"PaddedColumns", 100, 48, 80, 3, 1, 16, true},
    {"WideHeads", 77, 32, 48, 2, 1, 80, false},
    {"HeadsOf48", 90, 64, 112, 4, 2, 48, true},
    {"HeadsOf32", 300, 64, 96, 4, 4, 32, true},
    {"OneKeyHead", 50, 80, 160, 5, 1, 16, false},
};

DecoderShape config_of(const Shape& shape) {
  DecoderShape config = testing::tiny_config();
  config.vocab_size = shape.vocab;
  config.hidden_size = shape.hidden;
  config.intermediate_size = shape.intermediate;
  config.num_heads = shape.heads;
  config.num_kv_heads = shape.kv_heads;
  config.head_dim = shape.head_dim;
  config.tied_embeddings = shape.tied;
  return config;
}

/// The last logits of a text, in double and straight from the definition: the slow truth of a Llama
/// forward.
class DoubleLlama {
 public:
  DoubleLlama(const DecoderShape& config, const DecoderWeights& weights)
      : config_(config), weights_(weights) {}

  std::vector<double> last_logits(std::span<const Token> tokens) {
    std::vector<Vector> x;
    const auto embedding = weights_.read(TensorRole::embedding, 0);
    for (const Token token : tokens)
      x.emplace_back(embedding.begin() + token * config_.hidden_size,
                     embedding.begin() + (token + 1) * config_.hidden_size);
    for (std::int32_t l = 0; l < config_.num_layers; ++l) run_layer(l, x);
    return product(TensorRole::head, 0, norm(TensorRole::output_norm, 0, x.back()));
  }

 private:
  using Vector = std::vector<double>;

  void run_layer(std::int32_t l, std::vector<Vector>& x) {
    std::vector<Vector> queries, keys, values;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Vector normed = norm(TensorRole::attention_norm, l, x[i]);
      queries.push_back(rotated(product(TensorRole::query, l, normed), i));
      keys.push_back(rotated(product(TensorRole::key, l, normed), i));
      values.push_back(product(TensorRole::value, l, normed));
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      add(x[i], product(TensorRole::attention_output, l, attended(queries[i], keys, values, i)));
      const Vector normed = norm(TensorRole::feed_forward_norm, l, x[i]);
      Vector gate = product(TensorRole::gate, l, normed);
      const Vector up = product(TensorRole::up, l, normed);
      for (std::size_t k = 0; k < gate.size(); ++k)
        gate[k] = gate[k] / (1.0 + std::exp(-gate[k])) * up[k];
      add(x[i], product(TensorRole::down, l, gate));
    }
  }

  static void add(Vector& x, const Vector& y) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
  }

  Vector norm(TensorRole role, std::int32_t layer, const Vector& x) const {
    double squares = 0;
    for (const double v : x) squares += v * v;
    const double scale = 1.0 / std::sqrt(squares / static_cast<double>(x.size()) +
                                         static_cast<double>(config_.norm_epsilon));
    const auto weight = weights_.read(role, layer);
    Vector out;
    for (std::size_t i = 0; i < x.size(); ++i)
      out.push_back(x[i] * scale * static_cast<double>(weight[i]));
    return out;
  }

  Vector product(TensorRole role, std::int32_t layer, const Vector& x) const {
    const auto weight = weights_.read(role, layer);
    Vector out(weight.size() / x.size(), 0.0);
    for (std::size_t i = 0; i < weight.size(); ++i)
      out[i / x.size()] += static_cast<double>(weight[i]) * x[i % x.size()];
    return out;
  }

  Vector rotated(Vector heads, std::size_t position) const {
    const auto dim = static_cast<std::size_t>(config_.head_dim);
    for (std::size_t head = 0; head < heads.size(); head += dim)
      for (std::size_t i = 0; i < dim / 2; ++i) {
        const double angle = static_cast<double>(position) *
                             std::pow(static_cast<double>(config_.rope_theta),
                                      -2.0 * static_cast<double>(i) / static_cast<double>(dim));
        const double low = heads[head + i], high = heads[head + i + dim / 2];
        heads[head + i] = low * std::cos(angle) - high * std::sin(angle);
        heads[head + i + dim / 2] = high * std::cos(angle) + low * std::sin(angle);
      }
    return heads;
  }

  Vector attended(const Vector& query, const std::vector<Vector>& keys,
                  const std::vector<Vector>& values, std::size_t row) const {
    const auto dim = static_cast<std::size_t>(config_.head_dim),
               group = static_cast<std::size_t>(config_.num_heads / config_.num_kv_heads);
    Vector out(query.size(), 0.0);
    for (std::size_t head = 0; head * dim < query.size(); ++head) {
      Vector weights;
      double total = 0;
      for (std::size_t j = 0; j <= row; ++j) {
        double score = 0;
        for (std::size_t d = 0; d < dim; ++d)
          score += query[head * dim + d] * keys[j][head / group * dim + d];
        weights.push_back(std::exp(score / std::sqrt(static_cast<double>(dim))));
        total += weights.back();
      }
      for (std::size_t j = 0; j <= row; ++j)
        for (std::size_t d = 0; d < dim; ++d)
          out[head * dim + d] += weights[j] / total * values[j][head / group * dim + d];
    }
    return out;
  }

  const DecoderShape& config_;
  const DecoderWeights& weights_;
};

class LlamaShapes : public ::testing::TestWithParam<Shape> {};

INSTANTIATE_TEST_SUITE_P(, LlamaShapes, ::testing::ValuesIn(kShapes),
                         [](const auto& named) { return named.param.name; });

/// Float32 sums of some hundred terms of order 1 differ from double by some 1e-6; ten times that is
/// allowed. bfloat16 keeps 8 bits of weights and activations: 2^-8 relative per product, averaged
/// over the sums.
TEST_P(LlamaShapes, AgreeWithTheDefinitionInDoubleUnderEveryKernelSet) {
  const DecoderShape config = config_of(GetParam());
  const auto weights = testing::tiny_weights(config, {.scale = 6.0f});
  std::mt19937 random(3);
  const auto text = testing::random_tokens(random, config.vocab_size, 23);
  const auto expected = DoubleLlama(config, *weights).last_logits(text);
  double largest = 0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  for (auto kernels = cpu::runnable_kernels(); *kernels; ++kernels)
    for (const auto& [type, tolerance] :
         {std::pair{cpu::ElementType::float32, 1e-5}, {cpu::ElementType::bfloat16, 3e-2}}) {
      const auto model = testing::tiny_model(
          config, {.type = type, .threads = 2, .kernels = *kernels, .weights = {.scale = 6.0f}});
      const auto logits = testing::logits_of(*model, text).back();
      ASSERT_EQ(logits.size(), expected.size());
      for (std::size_t i = 0; i < logits.size(); ++i)
        EXPECT_NEAR(static_cast<double>(logits[i]), expected[i], tolerance * std::max(1.0, largest))
            << (*kernels)->name << " token " << i;
    }
}

}  // namespace
}  // namespace speclab::engines
