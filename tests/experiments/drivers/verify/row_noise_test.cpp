// Rows alone against rows side by side: nothing on kernels that are row-invariant, noise under a
// calibrated ceiling on those that are not, and faults of forwards of several rows far above it.
#include "experiments/drivers/verify/arithmetic_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engines/reference/decoder_torch.h"
#include "tests/engines/models/tiny_llama.h"
#include "tests/support/faulty_rows.h"
#include "tests/support/test_size.h"

namespace speclab::experiments {
namespace {

using testing::FaultyRows;
using testing::RowFault;

constexpr std::size_t kRowsTogether = 5;
/// Calls judge(model, name) for `right` with each fault of its forwards of several rows. @param
/// next, last  the same model a position on and a position back
template <typename Judge>
void visit_faults(engines::LanguageModel& right, engines::LanguageModel& next,
                  engines::LanguageModel& last, Judge judge) {
  FaultyRows position(right, next, RowFault::other_model),
      stale(right, right, RowFault::stale_cache), leak(right, last, RowFault::mask_leak);
  judge(position, "position + 1");
  judge(stale, "stale cache");
  judge(leak, "mask leak");
}

std::vector<Text> random_texts(std::uint32_t seed, std::size_t count, std::int32_t vocab_size) {
  std::mt19937 random(seed);
  std::vector<Text> texts;
  for (std::size_t i = 0; i < count; ++i)
    texts.push_back({engines::testing::random_tokens(random, vocab_size, 8 + 200), 8});
  return texts;
}

engines::DecoderShape config() {
  engines::DecoderShape config = engines::testing::tiny_config();
  config.hidden_size = 256;
  config.intermediate_size = 512;
  config.head_dim = 64;
  return config;
}

TEST(RowNoise, IsNothingOnTheCpusKernels) {
  for (const auto type :
       {engines::cpu::ElementType::float32, engines::cpu::ElementType::bfloat16}) {
    const auto model = engines::testing::tiny_model(config(), {.type = type});
    const RowNoise noise = measure_row_noise(*model, random_texts(1, 5, 300), kRowsTogether);
    EXPECT_EQ(noise.rows(), 5 * 200);
    EXPECT_EQ(noise.different, 0);
    EXPECT_EQ(noise.largest(), 0.0);
    EXPECT_EQ(noise.allowed, 0.0);
  }
}

TEST(RowNoise, ShowsForwardsOfSeveralRowsThatAreWrong) {
  const auto model = engines::testing::tiny_model(config(), {});
  FaultyRows right(*model, *model, RowFault::none);
  EXPECT_EQ(measure_row_noise(right, random_texts(1, 2, 300), kRowsTogether).different, 0);
  const auto next = engines::testing::tiny_model(config(), {.position_step = 1}),
             last = engines::testing::tiny_model(config(), {.position_step = -1});
  visit_faults(*model, *next, *last, [](engines::LanguageModel& wrong, const char* fault) {
    const RowNoise noise = measure_row_noise(wrong, random_texts(1, 2, 300), kRowsTogether);
    EXPECT_GT(noise.different, 300) << fault;
    EXPECT_GT(noise.largest(), 0.05) << fault;
  });
}

/// 1.5 times the 99.9th percentile over the rows, or the step where that is less: on processors
/// whose bfloat16 products hardly depend on the number of rows (those without AVX-512) fewer than
/// one row in a thousand differs, but by one rounding.
double ceiling_of(std::vector<double> largest_of_row, double step) {
  std::ranges::sort(largest_of_row);
  return 1.5 *
         std::max(step, largest_of_row[static_cast<std::size_t>(std::ceil(
                                           0.999 * static_cast<double>(largest_of_row.size()))) -
                                       1]);
}

/// The plain ATen path adds in another order for another number of rows. 2,000 to 5,000 rows
/// calibrate, as many others are judged: their largest differences have a tail, so that one in some
/// thousands passes 1.5 times the 99.9th percentile.
/// @param step  one rounding of the largest logits, which lie between 8 and 16
void expect_noise_under_its_ceiling_and_faults_above(const std::string& dtype, double step) {
  engines::DecoderTorch model(config(), *engines::testing::tiny_weights(config()), "cpu", dtype);
  const auto texts = speclab::testing::by_size<std::size_t>(10, 10, 25);
  const RowNoise calibration = measure_row_noise(model, random_texts(1, texts, 300), kRowsTogether);
  const RowNoise judged = measure_row_noise(model, random_texts(2, texts, 300), kRowsTogether);
  const double ceiling = ceiling_of(calibration.largest_of_row, step);
  std::printf("%s: %lld of %lld rows differ, by %.3g at most; ceiling %.3g; %lld flips\n",
              dtype.c_str(), static_cast<long long>(judged.different),
              static_cast<long long>(judged.rows()), judged.largest(), ceiling,
              static_cast<long long>(judged.flips));
  ASSERT_EQ(calibration.rows(), static_cast<std::int64_t>(200 * texts));
  EXPECT_LE(std::ranges::count_if(judged.largest_of_row,
                                  [=](double difference) { return difference > ceiling; }),
            judged.rows() / 1000);
  EXPECT_LE(judged.largest(), 2.0 * ceiling)
      << "rounding has no such outliers; a fault is larger by a hundred times";
  EXPECT_LE(50 * judged.flips, judged.rows());
  engines::DecoderTorch next(config(), *engines::testing::moved_weights(config(), 1), "cpu", dtype);
  engines::DecoderTorch last(config(), *engines::testing::moved_weights(config(), -1), "cpu",
                             dtype);
  visit_faults(model, next, last, [&](engines::LanguageModel& wrong, const char* fault) {
    const double found = measure_row_noise(wrong, random_texts(3, 2, 300), kRowsTogether).largest();
    std::printf("%s: %.3g\n", fault, found);
    EXPECT_GE(found, std::max(0.05, 10.0 * ceiling)) << fault;
  });
}

TEST(RowNoise, OfAtenInFloat32IsUnderItsCeilingAndFaultsAreFarAbove) {
  expect_noise_under_its_ceiling_and_faults_above("float32", 0x1p-20);
}
TEST(RowNoise, OfAtenInBFloat16IsUnderItsCeilingAndFaultsAreFarAbove) {
  expect_noise_under_its_ceiling_and_faults_above("bfloat16", 0x1p-4);
}

}  // namespace
}  // namespace speclab::experiments
