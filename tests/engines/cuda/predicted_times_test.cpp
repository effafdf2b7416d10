// The time model of gpu_bench predictions: by hand, at its edges, and against what earlier kernels
// took on an H100.
#include "experiments/bench/gpu/predicted_times.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>

namespace speclab::engines::cuda {
namespace {

constexpr TimeModel kModel{
    .read_gb_per_s = 1000, .tflops = 100, .row_share = 0.5, .kernel_ms = 0.25};

const DecoderShape& shape(const std::string& name) {
  static const std::vector<CatalogueEntry> all = model_catalogue();
  return *std::ranges::find(all, name, &CatalogueEntry::name)->shape;
}

/// Its weights and keys, tied embeddings.
TEST(PredictedTimes, OfAPassAreItsBytesAndItsKernels) {
  const DecoderShape& c = shape("shape-15m");
  const double weights_ms = 2e-9 * static_cast<double>(c.num_parameters()),
               keys_ms = 4e-9 * 100 * 14 * 64, kernels_ms = (5 * 14 + 2) * 0.25;
  EXPECT_NEAR(kModel.pass_ms(c, 1, 100), weights_ms + keys_ms + kernels_ms, 1e-9);
  EXPECT_NEAR(kModel.pass_ms(c, 3, 100), 2 * (weights_ms + keys_ms) + kernels_ms, 1e-9);
}

TEST(PredictedTimes, OfManyRowsAreTheirArithmetic) {
  const DecoderShape& c = shape("shape-15m");
  const TimeModel slow{.read_gb_per_s = 1000, .tflops = 1e-3, .row_share = 0, .kernel_ms = 0};
  EXPECT_NEAR(slow.pass_ms(c, 64, 0), 64 * 2e-9 * static_cast<double>(c.num_parameters()) / 1e-3,
              1e-9);
}

TEST(PredictedTimes, OfARoundAreItsPassesAndChoices) {
  const DecoderShape &target = shape("shape-135m"), &drafter = shape("shape-15m");
  EXPECT_NEAR(kModel.plain_ms(target, 512), kModel.pass_ms(target, 1, 512) + 4 * 0.25, 1e-9);
  EXPECT_NEAR(kModel.round_ms(target, drafter, 2, 512),
              kModel.pass_ms(drafter, 2, 512) + kModel.pass_ms(drafter, 1, 512) +
                  kModel.pass_ms(target, 3, 512) + 6 * 0.25,
              1e-9);
}

TEST(PredictedTimes, ArePairedByVocabularyAndSize) {
  EXPECT_TRUE(is_pair(shape("shape-135m"), shape("shape-15m")));
  EXPECT_FALSE(is_pair(shape("shape-15m"), shape("shape-135m"))) << "larger than its target";
  EXPECT_FALSE(is_pair(shape("shape-llama-3.1-8b"), shape("shape-gpt2-124m-gated")))
      << "another vocabulary";
}

TEST(PredictedTimes, HaveTheExtremesOfAllMixtures) {
  const KnownDevice& device = known_devices().front();
  const auto speedup = [](const TimeModel& model) {
    return model.plain_ms(shape("shape-llama-3.1-8b"), 512) /
           model.round_ms(shape("shape-llama-3.1-8b"), shape("shape-llama-3.2-1b"), 4, 512);
  };
  const Measured all = device.of(speedup);
  for (const TimeModel& model : {device.best, device.expected, device.worst})
    EXPECT_TRUE(all.low <= speedup(model) && speedup(model) <= all.high);
  EXPECT_LT(all.low,
            std::min({speedup(device.best), speedup(device.expected), speedup(device.worst)}));
}

/// Rows "device,what,shape,rows,unit,value,..." of passes.
TEST(PredictedTimes, HoldEveryPassOfTheEarlierKernelsBetweenBestAndWorst) {
  std::ifstream file(SPECLAB_SOURCE_DIR "/results/reference/gpu_engine_h100/gpu_bench.csv");
  const std::regex pass(
      R"re(NVIDIA H100 80GB HBM3,"pass, context (\d+)",([^,]+),(\d+),ms,([^,]+),.*)re");
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    std::smatch parts;
    if (!std::regex_match(line, parts, pass)) continue;
    const DecoderShape& c = shape(parts[2]);
    const Measured predicted = known_devices().front().of([&](const TimeModel& model) {
      return model.pass_ms(c, std::stoi(parts[3]), std::stoi(parts[1]));
    });
    EXPECT_LT(predicted.low, std::stod(parts[4])) << line;
    EXPECT_GT(predicted.high, std::stod(parts[4])) << line;
    ++count;
  }
  EXPECT_EQ(count, 56);
}

/// Rows "revision,device,what,shape,rows,ms,..." of the engine's own form. The time model has three
/// constants for all shapes.
TEST(PredictedTimes, AreWithinAnEighthOfEveryPassOfUpToEightRowsOnAnH200) {
  std::ifstream file(SPECLAB_SOURCE_DIR "/results/reference/gpu_h200/passes.csv");
  const std::regex pass(
      R"re(d76f9f74006c,NVIDIA H200,pass at context (\d+),([^,]+),(\d+),([^,]+),.*)re");
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    std::smatch parts;
    if (!std::regex_match(line, parts, pass) || std::stoi(parts[3]) > 8) continue;
    const DecoderShape& c = shape(parts[2]);
    const Measured predicted = known_devices().back().of([&](const TimeModel& model) {
      return model.pass_ms(c, std::stoi(parts[3]), std::stoi(parts[1]));
    });
    EXPECT_NEAR(predicted.median / std::stod(parts[4]), 1.0, 0.125) << line;
    ++count;
  }
  EXPECT_EQ(count, 32);
}

}  // namespace
}  // namespace speclab::engines::cuda
