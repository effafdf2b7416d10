#include "sim/core/rng_stream.h"

#include <gtest/gtest.h>

#include <set>

#include "sim/system/errors.h"

namespace speclab {
namespace {

using Block = std::array<std::uint32_t, 4>;

// Random123 1.14, tests/kat_vectors, philox4x32 with 10 rounds.
TEST(Philox, MatchesThePublishedKnownAnswers) {
  EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, {0, 0}),
            (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox4x32_10({ones, ones, ones, ones}, {ones, ones}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RngStream, TakesTheUpper53BitsOfTheFirstTwoWords) {
  const std::uint64_t bits = (std::uint64_t{0x6627e8d5} << 32 | 0xe169c58d) >> 11;
  EXPECT_EQ(RngStream(0).uniform({}), static_cast<double>(bits) / 9007199254740992.0);
}

TEST(RngStream, DependsOnTheSeedAndOnEveryPartOfTheKey) {
  std::set<double> draws{RngStream(7).uniform({1, 2, Purpose::draft, 3}),
                         RngStream(8).uniform({1, 2, Purpose::draft, 3}),
                         RngStream(7 + (1ULL << 32)).uniform({1, 2, Purpose::draft, 3})};
  for (const StreamKey& key :
       {StreamKey{2, 2, Purpose::draft, 3}, StreamKey{1, 3, Purpose::draft, 3},
        StreamKey{1, 2, Purpose::accept, 3}, StreamKey{1, 2, Purpose::draft, 4}})
    draws.insert(RngStream(7).uniform(key));
  EXPECT_EQ(draws.size(), 7U);
}

TEST(RoundDraw, GivesEveryRoundAndNodeItsOwnIndex) {
  EXPECT_EQ(round_draw(0, 0), 0U);
  EXPECT_EQ(round_draw(0, 4095) + 1, round_draw(1, 0));
  EXPECT_EQ(round_draw((1U << 20) - 1, 4095), 0xffffffffU);
}

TEST(RoundDraw, RefusesWhatDoesNotFit) {
  EXPECT_THROW(round_draw(1U << 20, 0), ContractError);
  EXPECT_THROW(round_draw(0, 4096), ContractError);
}

TEST(RoundKey, PutsTheBonusTokenWherePlainSamplingWouldDrawIt) {
  const StreamKey bonus = target_key({.sequence = 5, .position = 10, .round = 3}, 2);
  const StreamKey plain = target_key({.sequence = 5, .position = 12, .round = 9}, 0);
  EXPECT_EQ(RngStream(1).uniform(bonus), RngStream(1).uniform(plain));
  EXPECT_EQ(bonus.draw, 0U);
}

}  // namespace
}  // namespace speclab
