// Bits of passes of 1 to 64 rows, as they were before kernels changed. The processor runs the
// kernels here, so the digests hold for every machine whose expf rounds alike (glibc 2.28 or
// later).
#include <bit>
#include <cstdint>
#include <vector>

#include "tests/engines/cuda/every_head_size.h"

namespace speclab::engines {
namespace {

using testing::commit_all;

class PassBits : public testing::EveryHeadSize {};

/// FNV-1a, 64 bits, over the bits of all logits.
class Digest {
 public:
  void add(const std::vector<std::vector<float>>& rows) {
    for (const std::vector<float>& row : rows)
      for (const float value : row) add(std::bit_cast<std::uint32_t>(value));
  }
  std::uint64_t value() const { return value_; }

 private:
  void add(std::uint32_t word) {
    for (int shift = 0; shift < 32; shift += 8)
      value_ = (value_ ^ ((word >> shift) & 0xff)) * 0x100000001b3;
  }
  std::uint64_t value_ = 0xcbf29ce484222325;
};

/// By the model's place among head_size_configs().
constexpr std::uint64_t kDigests[] = {4334006034681857863U, 3354511606642769925U,
                                      13520303050325427063U, 15900331240582660432U};

/// Defect: a change of the kernels moves a bit of some pass of a model of Llama's family.
TEST_P(PassBits, AreThoseOfTheCommittedDigest) {
  constexpr std::size_t kPrefix = 20, kMostRows = 64;
  const auto tokens = random_tokens(kPrefix + kMostRows);
  const auto cache = fast_->make_cache(1, static_cast<std::int32_t>(tokens.size()));
  const std::int32_t slot = cache->begin();
  commit_all(*fast_, *cache, slot, std::span(tokens).first(kPrefix));
  Digest digest;
  for (const std::size_t rows : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64}) {
    cache->truncate(slot, kPrefix);
    digest.add(commit_all(*fast_, *cache, slot, std::span(tokens).subspan(kPrefix, rows)));
  }
  EXPECT_EQ(digest.value(), kDigests[GetParam()]) << std::hex << digest.value();
}

INSTANTIATE_TEST_SUITE_P(HeadSizes, PassBits,
                         ::testing::ValuesIn(testing::head_sizes({0}, {0, 1, 2, 3})));

}  // namespace
}  // namespace speclab::engines
