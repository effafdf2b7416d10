// Whole models on low-bit weights: exact products give the logits of expanded weights bit for bit,
// inexact ones come close.

#include <gtest/gtest.h>

#include <cstring>

#include "engines/cpu/decoder_cpu.h"
#include "engines/cpu/form_probe.h"
#include "engines/families/catalogue.h"
#include "engines/formats/dequantise.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

using cpu::NumberForms;
using cpu::ProductKind;
using cpu::WeightChoice;
using testing::logits_of;

NumberForms exact_forms() { return {WeightChoice::file, ProductKind::exact}; }

/// Weights of a made model in blocks of GGUF. The types change from role to role, so that queries,
/// keys and values have three, and some roles have none that is kept.
class StoredWeights final : public DecoderWeights {
 public:
  explicit StoredWeights(const DecoderShape& shape)
      : shape_(shape), plain_(random_decoder_weights(shape, 4)) {}

  std::string_view stored_type(TensorRole role, std::int32_t layer) const override {
    using enum TensorRole;
    switch (role) {
      case embedding:
      case head:
        return "Q8_0";
      case query:
        return layer == 0 ? "Q4_K" : "Q4_1";
      case key:
        return layer == 0 ? "Q6_K" : "Q4_1";
      case value:
        return layer == 0 ? "Q5_0" : "Q4_1";
      case attention_output:
        return "Q4_0";
      case router:
        return layer == 0 ? "Q8_0" : "";
      case gate:
      case expert_gate:
        return "Q5_0";
      case up:
      case expert_up:
        return layer == 0 ? "Q5_0" : "Q4_1";
      case down:
      case expert_down:
        return layer == 0 ? "Q6_K" : "Q5_1";
      default:
        return "";
    }
  }

  std::vector<std::byte> read_stored(TensorRole role, std::int32_t layer) const override {
    const BlockFormat& format = *find_block_format(stored_type(role, layer));
    std::mt19937 random(static_cast<unsigned>(role) * 100 + static_cast<unsigned>(layer));
    std::vector<std::byte> blocks(static_cast<std::size_t>(num_elements(role, shape_)) /
                                  format.block_elements * format.block_bytes);
    for (std::byte& byte : blocks) byte = static_cast<std::byte>(random() & 0xFF);
    for (std::size_t at = 0; at < blocks.size(); at += format.block_bytes)
      put_scales(format, std::span(blocks).subspan(at, format.block_bytes));
    return blocks;
  }

  std::vector<float> read(TensorRole role, std::int32_t layer) const override {
    const std::string_view type = stored_type(role, layer);
    if (type.empty()) return plain_->read(role, layer);
    std::vector<float> values(static_cast<std::size_t>(num_elements(role, shape_)));
    find_block_format(type)->dequantise(read_stored(role, layer), values.data());
    return values;
  }
  std::string sha256() const override { return "made blocks"; }

 private:
  /// Scales that keep the weights at some hundredths.
  static void put_scales(const BlockFormat& format, std::span<std::byte> block) {
    const bool is_k = format.block_elements == 256, is_wide = format.block_bytes >= 34 && !is_k;
    const float scale = is_k ? 1e-4f : is_wide ? 1e-3f : 1e-2f;
    const auto put = [&](std::size_t at, float value) {
      const std::uint16_t half = float_to_half(value);
      std::memcpy(&block[at], &half, sizeof half);
    };
    put(format.name == "Q6_K" ? 208 : 0, format.name == "Q6_K" ? 1e-5f : scale);
    if (format.name.ends_with("_1")) put(2, -8 * scale);
    if (format.name == "Q4_K") put(2, 8 * scale);
  }

  DecoderShape shape_;
  std::unique_ptr<DecoderWeights> plain_;
};

DecoderShape shape_with_whole_blocks() {
  DecoderShape shape = testing::tiny_config();
  shape.hidden_size = 256;
  shape.intermediate_size = 512;
  shape.head_dim = 64;
  return shape;
}

DecoderShape shape_with_experts() {
  DecoderShape shape = shape_with_whole_blocks();
  shape.num_experts = 4;
  shape.experts_per_token = 2;
  shape.expert_size = 256;
  return shape;
}

std::unique_ptr<cpu::DecoderCpu> model_of(const DecoderShape& shape, const NumberForms& numbers,
                                          const cpu::CpuKernels* kernels) {
  return std::make_unique<cpu::DecoderCpu>(shape, StoredWeights(shape), numbers,
                                           std::make_shared<cpu::ThreadTeam>(2), kernels);
}

/// 40 rows at once, then one by one.
std::vector<std::vector<float>> many_and_single(LanguageModel& model) {
  std::mt19937 random(9);
  const auto text = testing::random_tokens(random, model.info().vocab_size, 40);
  std::vector<std::vector<float>> logits = logits_of(model, text);
  const auto cache = model.make_cache(1, 48);
  const std::int32_t slot = cache->begin();
  for (std::size_t i = 0; i < 4; ++i)
    logits.push_back(
        testing::commit_all(model, *cache, slot, std::span(text).subspan(i, 1)).front());
  return logits;
}

// Catches a part of a matrix at a wrong place, rows that are not those of read(), and a prompt
// whose expanded blocks differ from a step's.
TEST(StoredWeightsTest, AtExactProductsGiveTheBitsOfExpandedOnes) {
  for (const DecoderShape& shape : {shape_with_whole_blocks(), shape_with_experts()})
    for (auto kernels = cpu::runnable_kernels(); *kernels; ++kernels) {
      const auto expected = many_and_single(*model_of(shape, cpu::ElementType::bfloat16, *kernels));
      for (const WeightChoice choice : {WeightChoice::file, WeightChoice::fastest})
        EXPECT_EQ(many_and_single(*model_of(shape, {choice, ProductKind::exact}, *kernels)),
                  expected)
            << (*kernels)->name << ", " << shape.num_experts << " experts";
    }
}

/// Whether all low-bit products of a layer are in one form, and none has another beside it.
bool has_one_form(const cpu::Layer& layer, bool is_low_bit) {
  for (const cpu::Linear* linear : {&layer.query_key_value, &layer.attention_output})
    if (linear->expanded.columns() > 0 || (linear->matrix.is_low_bit() != is_low_bit)) return false;
  return true;
}

// Catches a form that stays in memory beside the chosen one, layers of one form in a model of the
// other, and a model that is counted in both.
TEST(StoredWeightsTest, StayInOneFormWhereKernelsExpandSlowly) {
  const NumberForms fastest(WeightChoice::fastest, ProductKind::exact);
  const auto team = std::make_shared<cpu::ThreadTeam>(2);
  for (const DecoderShape& shape : {shape_with_whole_blocks(), shape_with_experts()})
    for (auto kernels = cpu::runnable_kernels(); *kernels; ++kernels) {
      if ((*kernels)->expands_fast) continue;
      const StoredWeights weights(shape);
      const cpu::FormChoice choice = cpu::choose_form(shape, weights, team, *kernels);
      const bool is_low_bit = choice.numbers.weights == WeightChoice::file;
      EXPECT_EQ(std::ssize(choice.layers), shape.num_layers);
      for (const cpu::Layer& layer : choice.layers) EXPECT_TRUE(has_one_form(layer, is_low_bit));
      EXPECT_GT(choice.speedup_of_int8, 0.0) << (*kernels)->name;
      const auto bytes_of = [&](const NumberForms& numbers) {
        return cpu::DecoderCpu::describe(shape, weights, numbers, *kernels).weight_bytes;
      };
      const ModelInfo info = model_of(shape, fastest, *kernels)->info();
      EXPECT_EQ(info.narrow_rows, 0);
      EXPECT_TRUE(info.weight_bytes == bytes_of(exact_forms()) ||
                  info.weight_bytes == bytes_of(cpu::ElementType::bfloat16));
      EXPECT_GT(info.speedup_of_int8, 0.0);
      EXPECT_EQ(cpu::DecoderCpu::bytes_to_load(shape, weights, fastest, 2, *kernels),
                cpu::DecoderCpu::bytes_to_load(shape, weights, cpu::ElementType::bfloat16, 2));
    }
}

// Catches a choice by one row alone, which loses in every verified round.
TEST(StoredWeightsTest, AreKeptIfStepsAndRoundsTogetherLoseNothing) {
  EXPECT_TRUE(cpu::is_low_bit_faster({1, 1, 0}, {2, 2, 0}));
  EXPECT_TRUE(cpu::is_low_bit_faster({1, 2, 0}, {3, 2, 0}));
  EXPECT_FALSE(cpu::is_low_bit_faster({1, 1.5, 0}, {4, 2, 0}));
}

double mean_distance(const std::vector<std::vector<float>>& a,
                     const std::vector<std::vector<float>>& b) {
  double sum = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < a[i].size(); ++k) {
      sum += std::abs(static_cast<double>(a[i][k] - b[i][k]));
      size += std::abs(static_cast<double>(b[i][k]));
    }
  return sum / size;
}

// Catches an arithmetic that is another model, and one that is farther from the file than it should
// be.
TEST(StoredWeightsTest, AtInexactProductsComeCloseToFloat32) {
  for (const DecoderShape& shape : {shape_with_whole_blocks(), shape_with_experts()})
    for (auto kernels = cpu::runnable_kernels(); *kernels; ++kernels) {
      const auto expected = many_and_single(*model_of(shape, cpu::ElementType::float32, *kernels));
      const auto distance_of = [&](const NumberForms& numbers) {
        return mean_distance(many_and_single(*model_of(shape, numbers, *kernels)), expected);
      };
      const double exact = distance_of(exact_forms());
      EXPECT_LT(distance_of({WeightChoice::file, ProductKind::bfloat16}), 1.5 * exact);
      EXPECT_LT(distance_of({WeightChoice::file, ProductKind::int8}), 0.05)
          << (*kernels)->name << ", " << shape.num_experts << " experts";
    }
}

// Catches a form that is counted otherwise than it is held, and a name that hides the arithmetic.
TEST(StoredWeightsTest, AreNamedAndCounted) {
  const DecoderShape shape = shape_with_whole_blocks();
  const cpu::CpuKernels* kernels = cpu::best_kernels();
  const ModelInfo exact = model_of(shape, exact_forms(), kernels)->info(),
                  int8 = model_of(shape, {WeightChoice::file, ProductKind::int8}, kernels)->info(),
                  wide = model_of(shape, cpu::ElementType::bfloat16, kernels)->info();
  EXPECT_EQ(exact.dtype, "bfloat16");
  EXPECT_EQ(int8.dtype, "file x int8");
  EXPECT_EQ(int8.kernels, std::string(kernels->name) +
                              ", weights in Q4_0, Q4_1, Q4_K, Q5_0, Q6_K, Q8_0, some in bfloat16");
  EXPECT_LT(exact.weight_bytes, wide.weight_bytes);
  EXPECT_EQ(int8.cache_bytes_per_token * 2, exact.cache_bytes_per_token);
}

// Catches rows of a file that are cut, turned or joined otherwise than its values: the default
// model, whose queries and keys are turned.
TEST(StoredWeightsTest, OfTheDefaultModelGiveItsBits) {
  const ModelSource source = open_model("smollm2-135m");
  const auto team = std::make_shared<cpu::ThreadTeam>(2);
  const auto logits = [&](const NumberForms& numbers) {
    cpu::DecoderCpu model(source.config, *source.weights, numbers, team);
    return many_and_single(model);
  };
  EXPECT_EQ(logits(exact_forms()), logits(cpu::ElementType::bfloat16));
}

}  // namespace
}  // namespace speclab::engines
