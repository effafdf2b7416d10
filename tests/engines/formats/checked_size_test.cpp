#include "engines/formats/checked_size.h"

#include <gtest/gtest.h>

namespace speclab::engines {
namespace {

constexpr std::uint64_t kMax = UINT64_MAX;

TEST(CheckedSize, GivesExactResultsThatFit) {
  EXPECT_EQ((CheckedSize(40) + 2).within(kMax), 42U);
  EXPECT_EQ((CheckedSize(44) - 2).within(kMax), 42U);
  EXPECT_EQ((CheckedSize(6) * 7).within(kMax), 42U);
  EXPECT_EQ((CheckedSize(kMax) * 1 + 0).within(kMax), kMax);
}

TEST(CheckedSize, NeverWraps) {
  EXPECT_FALSE((CheckedSize(kMax) + 1).valid());
  EXPECT_FALSE((CheckedSize(0) - 1).valid());
  EXPECT_FALSE((CheckedSize(std::uint64_t{1} << 32) * (std::uint64_t{1} << 32)).valid());
}

TEST(CheckedSize, StaysInvalid) {
  const CheckedSize broken = CheckedSize(kMax) + 1;
  EXPECT_FALSE((broken - kMax).valid());
  EXPECT_FALSE((broken * 0).valid());
  EXPECT_FALSE((CheckedSize(1) + broken).valid());
  EXPECT_FALSE(broken.at_most(kMax));
}

TEST(CheckedSize, AlignsUpToPowersOfTwoOnly) {
  EXPECT_EQ(CheckedSize(33).align_up(32).within(kMax), 64U);
  EXPECT_EQ(CheckedSize(64).align_up(32).within(kMax), 64U);
  EXPECT_EQ(CheckedSize(5).align_up(1).within(kMax), 5U);
  EXPECT_FALSE(CheckedSize(5).align_up(0).valid());
  EXPECT_FALSE(CheckedSize(5).align_up(24).valid());
  EXPECT_FALSE(CheckedSize(kMax - 2).align_up(32).valid());
}

TEST(CheckedSize, KeepsLimits) {
  EXPECT_TRUE(CheckedSize(7).at_most(7));
  EXPECT_FALSE(CheckedSize(8).at_most(7));
  EXPECT_EQ(CheckedSize(8).within(7), std::nullopt);
}

}  // namespace
}  // namespace speclab::engines
