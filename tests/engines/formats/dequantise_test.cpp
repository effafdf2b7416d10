#include "engines/formats/dequantise.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "engines/formats/gguf_file.h"
#include "sim/system/files.h"

namespace speclab::engines {
namespace {

const std::string kGolden = std::string(SPECLAB_SOURCE_DIR) + "/tests/golden/";

TEST(Dequantise, EqualsThePythonPackageBitForBit) {
  const GgufFile file = GgufFile::open(kGolden + "dequantise.gguf");
  const std::string expected = read_file(kGolden + "dequantise_float32.bin");
  ASSERT_EQ(file.tensors().size(), 10U) << "one tensor of every type";
  std::size_t done = 0;
  for (const TensorInfo& tensor : file.tensors()) {
    EXPECT_EQ(tensor.name, tensor.dtype);
    const std::vector<float> values = file.read_float32(tensor.name);
    const std::size_t bytes = values.size() * sizeof(float);
    ASSERT_LE(done + bytes, expected.size());
    EXPECT_EQ(std::memcmp(values.data(), expected.data() + done, bytes), 0) << tensor.name;
    done += bytes;
  }
  EXPECT_EQ(done, expected.size());
}

/// The value of a half by its definition, IEEE 754.
double half_by_definition(unsigned bits) {
  const unsigned exponent = bits >> 10 & 31;
  const double fraction = (bits & 1023) / 1024.0;
  const double magnitude = exponent == 0
                               ? std::ldexp(fraction, -14)
                               : std::ldexp(1 + fraction, static_cast<int>(exponent) - 15);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST(HalfToFloat, EqualsTheDefinitionForEveryFiniteHalf) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7C00) == 0x7C00) continue;
    ASSERT_EQ(half_to_float(static_cast<std::uint16_t>(bits)), half_by_definition(bits)) << bits;
  }
  EXPECT_TRUE(std::signbit(half_to_float(0x8000)));
}

TEST(HalfToFloat, KeepsInfinityAndNan) {
  EXPECT_EQ(half_to_float(0x7C00), std::numeric_limits<float>::infinity());
  EXPECT_EQ(half_to_float(0xFC00), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(half_to_float(0x7E00)));
  EXPECT_TRUE(std::isnan(half_to_float(0x7C01)));
}

TEST(Bfloat16ToFloat, IsTheUpperHalf) {
  EXPECT_EQ(bfloat16_to_float(0x3F80), 1.0F);
  EXPECT_EQ(bfloat16_to_float(0xC040), -3.0F);
}

TEST(BlockFormats, AreFoundByNumberAndName) {
  ASSERT_NE(find_block_format(3U), nullptr);
  EXPECT_EQ(find_block_format(3U)->name, "Q4_1");
  EXPECT_EQ(find_block_format("Q4_1"), find_block_format(3U));
  EXPECT_EQ(find_block_format(4U), nullptr);
  EXPECT_EQ(find_block_format("Q4_2"), nullptr);
}

}  // namespace
}  // namespace speclab::engines
