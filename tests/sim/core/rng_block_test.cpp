#include "sim/core/rng_stream.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "sim/system/errors.h"

namespace speclab {
namespace {

TEST(FillBits, GivesTheSameBitsAsOneDrawAtATimeForEverySizeAndPlace) {
  const RngStream stream(0x0123456789abcdefULL);
  for (const std::uint32_t first :
       {0U, 5U, 0xfffffff0U}) {  // the last runs over the end of the positions
    for (std::size_t size = 0; size <= 70; ++size) {
      const StreamKey key{.sequence = 0xdeadbeef,
                          .position = first,
                          .purpose = Purpose::accept,
                          .draw = 0x80000001};
      std::vector<std::uint64_t> bits(size);
      fill_bits(stream, key, bits);
      for (std::size_t i = 0; i < size; ++i) {
        StreamKey own = key;
        own.position = first + static_cast<std::uint32_t>(i);
        ASSERT_EQ(bits[i], stream.bits(own)) << "size " << size << ", element " << i;
      }
    }
  }
}

TEST(FillBits, DependsOnTheSeedAndOnEveryPartOfTheKey) {
  const auto first = [](std::uint64_t seed, const StreamKey& key) {
    std::vector<std::uint64_t> bits(32);
    fill_bits(RngStream(seed), key, bits);
    return bits[9];
  };
  const StreamKey key{1, 2, Purpose::draft, 3};
  const std::uint64_t base = first(7, key);
  EXPECT_NE(base, first(7 + (1ULL << 32), key));
  for (const StreamKey& other :
       {StreamKey{2, 2, Purpose::draft, 3}, StreamKey{1, 3, Purpose::draft, 3},
        StreamKey{1, 2, Purpose::accept, 3}, StreamKey{1, 2, Purpose::draft, 4}})
    EXPECT_NE(base, first(7, other));
}

TEST(BitsThreshold, SeparatesExactlyWhereTheUniformDoes) {
  const RngStream stream(3);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const StreamKey key{0, i, Purpose::accept, 0};
    const double uniform = stream.uniform(key);
    for (const double probability :
         {uniform, std::nextafter(uniform, 0.0), std::nextafter(uniform, 1.0), 0.5})
      ASSERT_EQ(stream.bits(key) < bits_threshold(probability), uniform < probability);
  }
  EXPECT_EQ(bits_threshold(0.0), 0U);
  EXPECT_EQ(bits_threshold(1.0), 1ULL << 53);
  EXPECT_EQ(bits_threshold(std::numeric_limits<double>::denorm_min()), 1U);
}

TEST(BitsThreshold, RefusesWhatIsNoProbability) {
  for (const double wrong : {-0.1, 1.2, std::nan("")})
    EXPECT_THROW(bits_threshold(wrong), ContractError) << wrong;
}

TEST(CountThresholdsAbove, CountsAsOneComparisonAtATimeForEverySize) {
  std::vector<std::uint64_t> thresholds;
  for (double survival = 1.0; thresholds.size() < 9; survival *= 0.8)
    thresholds.push_back(bits_threshold(survival));
  for (std::size_t size = 0; size <= 40; ++size) {
    std::vector<std::uint64_t> bits(size);
    fill_bits(RngStream(size), {}, bits);
    if (size > 2) bits[0] = 0, bits[1] = thresholds[4], bits[2] = thresholds[4] - 1;
    std::vector<std::uint32_t> counts(size, 99);
    count_thresholds_above(bits, thresholds, counts);
    for (std::size_t i = 0; i < size; ++i) {
      std::uint32_t expected = 0;
      for (const std::uint64_t threshold : thresholds) expected += bits[i] < threshold ? 1 : 0;
      ASSERT_EQ(counts[i], expected) << size << " " << i;
    }
  }
  std::vector<std::uint32_t> too_short(3);
  EXPECT_THROW(count_thresholds_above(std::vector<std::uint64_t>(4), thresholds, too_short),
               ContractError);
}

}  // namespace
}  // namespace speclab
