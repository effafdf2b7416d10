// Draws of the device from laws of every size, at the edges of the coin, against the host's
// inversion.

#include "engines/cuda/kernels/draw_trials.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "engines/cuda/device.h"
#include "engines/cuda/device_memory.h"
#include "tests/engines/cuda/vocabularies.h"
#include "tests/support/scripted_chance.h"

namespace speclab::engines::cuda {
namespace {

using Weights = std::vector<float>;

/// Whole numbers below 2^12, half of them 0: sums are exact in any order, so that host and device
/// must agree about every coin.
Weights whole_numbers(int size, unsigned seed) {
  std::mt19937 random(seed);
  Weights weights(static_cast<std::size_t>(size));
  for (float& weight : weights)
    weight = random() % 2 == 0 ? 0.0f : static_cast<float>(random() % 4096);
  weights[random() % weights.size()] = 1.0f;
  return weights;
}

/// Nothing before index `begin`, and there every `step`-th index alone has a weight.
Weights sparse(int size, int begin, int step) {
  Weights weights(static_cast<std::size_t>(size), 0.0f);
  for (int i = begin; i < size; i += step)
    weights[static_cast<std::size_t>(i)] = static_cast<float>(1 + i % 5);
  return weights;
}

/// The indices of the last warp that has some, as block_categorical deals them out.
int last_segment(int size) {
  const int segment = (size + 1023) / 1024 * 32;
  return (size - 1) / segment * segment;
}

std::vector<Weights> exact_weights(int size) {
  return {whole_numbers(size, 3),
          Weights(static_cast<std::size_t>(size), 1.0f),
          sparse(size, last_segment(size), 1),
          sparse(size, size - 1, 1),
          sparse(size, 0, size),
          sparse(size, size / 2, 97)};
}

/// Coins at the ends of [0, 1), and those that fall on a border between two indices or one rounding
/// beside it.
std::vector<double> coins_for(const Weights& weights) {
  std::vector<double> coins{0.0, 0x1p-53, 0x1p-24, 0.5, 1 - 0x1p-24, 1 - 0x1p-53};
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::mt19937 random(5);
  for (int i = 0; i < 8; ++i) {
    const auto end = weights.begin() + static_cast<std::ptrdiff_t>(random() % weights.size() + 1);
    const double border = std::accumulate(weights.begin(), end, 0.0) / total;
    for (const double coin : {std::nextafter(border, 0.0), border, std::nextafter(border, 1.0)})
      if (coin < 1.0) coins.push_back(coin);
  }
  return coins;
}

std::vector<std::int32_t> drawn_on_device(const Device& device, const Weights& weights,
                                          const std::vector<double>& coins) {
  const auto device_weights = on_device<float>(weights);
  const auto uniforms = on_device<double>(coins);
  const PinnedArray<std::int32_t> found(coins.size());
  launch_draw_trials(device_weights.data(), static_cast<int>(weights.size()), uniforms.data(),
                     static_cast<int>(coins.size()), found.data(), device.context());
  device.synchronize();
  return {found.data(), found.data() + found.size()};
}

TEST(DrawTrials, AreTheHostsDrawsAtEverySizeAndCoin) {
  if (!device_is_there()) GTEST_SKIP() << "no CUDA device is here";
  const Device device;
  for (const int size : kVocabularies)
    for (const Weights& weights : exact_weights(size)) {
      const std::vector<double> coins = coins_for(weights);
      const auto found = drawn_on_device(device, weights, coins);
      speclab::testing::ScriptedChance host(coins);
      for (std::size_t i = 0; i < coins.size(); ++i)
        EXPECT_EQ(found[i],
                  static_cast<std::int32_t>(host.categorical({}, std::span<const float>(weights))))
            << size << " weights, coin " << coins[i];
    }
}

/// Sums of any floats differ with their order, by at most one rounding of the total a term.
TEST(DrawTrials, KeepWithinRoundingOfTheCoinWhateverTheWeights) {
  if (!device_is_there()) GTEST_SKIP() << "no CUDA device is here";
  const Device device;
  for (const int size : kVocabularies) {
    Weights weights = whole_numbers(size, 8);
    for (float& weight : weights) weight *= std::exp(-weight / 300.0f);
    const std::vector<double> coins = coins_for(weights);
    const auto found = drawn_on_device(device, weights, coins);
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0),
                 rounding = size * 0x1p-52 * total;
    for (std::size_t i = 0; i < coins.size(); ++i) {
      ASSERT_LT(found[i], size);
      const float weight = weights[static_cast<std::size_t>(found[i])];
      const double below = std::accumulate(weights.begin(), weights.begin() + found[i], 0.0);
      EXPECT_GT(weight, 0.0f);
      EXPECT_LE(below, coins[i] * total + rounding) << size << " weights, coin " << coins[i];
      EXPECT_GE(below + static_cast<double>(weight), coins[i] * total - rounding)
          << size << " weights, coin " << coins[i];
    }
  }
}

TEST(DrawTrials, FindNothingWhereNoWeightIsPositiveOrOneIsNoNumber) {
  if (!device_is_there()) GTEST_SKIP() << "no CUDA device is here";
  const Device device;
  for (const int size : kVocabularies) {
    const std::vector<double> coins{0.0, 0.5, 1 - 0x1p-53};
    const std::vector<std::int32_t> nothing(coins.size(), size);
    EXPECT_EQ(drawn_on_device(device, Weights(static_cast<std::size_t>(size), 0.0f), coins),
              nothing)
        << size;
    for (const std::size_t at :
         {std::size_t{0}, static_cast<std::size_t>(size) / 2, static_cast<std::size_t>(size) - 1}) {
      Weights damaged(static_cast<std::size_t>(size), 1.0f);
      damaged[at] = std::nanf("");
      EXPECT_EQ(drawn_on_device(device, damaged, coins), nothing)
          << "number " << at << " of " << size;
    }
  }
}

}  // namespace
}  // namespace speclab::engines::cuda
