
#include <gtest/gtest.h>

#include <cmath>

#include "engines/ngrams/ngram_arrays.h"

namespace speclab::engines {
namespace {

TEST(SmallFloat, EveryCodeComesBackAndTheyRise) {
  for (std::uint32_t code = 0; code <= 0xFFFF; ++code) {
    const float value = from_small_float(static_cast<std::uint16_t>(code));
    EXPECT_EQ(to_small_float(value), code);
    if (code > 0) EXPECT_GT(value, from_small_float(static_cast<std::uint16_t>(code - 1)));
  }
}

TEST(SmallFloat, IsRoundedToTheNearest) {
  for (double value = 1e-9; value < 1.9; value *= 1.0137)
    EXPECT_NEAR(
        static_cast<double>(from_small_float(to_small_float(static_cast<float>(value)))) / value,
        1.0, kSmallFloatError * 1.001);
  EXPECT_EQ(from_small_float(kSmallFloatOne), 1.0f);
  EXPECT_EQ(to_small_float(1.0f), kSmallFloatOne);
}

TEST(SmallFloat, StaysWithinItsRange) {
  EXPECT_EQ(to_small_float(0.0f), 0);
  EXPECT_EQ(to_small_float(-1.0f), 0);
  EXPECT_EQ(to_small_float(7.0f), 0xFFFF);
  EXPECT_EQ(to_small_float(1.99999f), 0xFFFF);
}

TEST(Packed24, GivesBackWhatWasPut) {
  Packed24 numbers;
  for (const std::uint32_t value : {0u, 1u, 255u, 65536u, Packed24::kLimit - 1})
    numbers.push_back(value);
  EXPECT_EQ(numbers.stored().size(), 15u);
  for (const Packed24& copy : {numbers, Packed24(numbers.stored())}) {
    ASSERT_EQ(copy.size(), 5u);
    EXPECT_EQ(copy[2], 255u);
    EXPECT_EQ(copy[3], 65536u);
    EXPECT_EQ(copy[4], Packed24::kLimit - 1);
  }
}

}  // namespace
}  // namespace speclab::engines
