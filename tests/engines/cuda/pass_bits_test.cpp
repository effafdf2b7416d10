// Bits of every pass of 1 to 64 rows, as they were before kernels were made faster. The emulation
// alone is held to them: a device adds up in an order of its own.

#include <array>
#include <bit>
#include <string>

#include "sim/system/sha256.h"
#include "tests/engines/cuda/every_head_size.h"

namespace speclab::engines {
namespace {

using testing::commit_all;

/// SHA-256 of the logits, by place among head_size_configs(). They change only where a commit says
/// so and why.
constexpr std::array<const char*, 4> kDigests{
    "616eea2e414095b539c8a779da03aa521562cc9f7013d1a8c91b7454a782af7b",
    "da43789794c3c4445bfb4870dc3a35465a9402103f2cd8943111f9e67b35b9f0",
    "4aca2cd545c1c5a6e4c5ba7062a774497ff74fccf4e76c0a74ebd9cb2880a6c2",
    "00d36d513f3960a70c417e2a624742e3bc3257805063e43082115a2be2d5ce3f"};

class PassBits : public testing::EveryHeadSize {};

/// Defect: a kernel that was made faster adds up in another order, or leaves a key or a row out.
TEST_P(PassBits, AreThoseBeforeKernelsWereMadeFaster) {
  constexpr std::size_t kMostRows = 64;
  const auto beyond_a_split = static_cast<std::size_t>(cuda::keys_per_split(config().head_dim)) + 5;
  const auto tokens = random_tokens(beyond_a_split + kMostRows);
  std::string bits;
  for (const std::size_t first : {std::size_t{3}, beyond_a_split}) {
    const auto cache = fast_->make_cache(1, static_cast<std::int32_t>(first + kMostRows));
    const std::int32_t slot = cache->begin();
    commit_all(*fast_, *cache, slot, std::span(tokens).first(first));
    for (const std::size_t rows : {1, 2, 3, 8, 9, 16, 17, 32, 33, 64}) {
      cache->truncate(slot, static_cast<std::int32_t>(first));
      for (const std::vector<float>& row :
           commit_all(*fast_, *cache, slot, std::span(tokens).subspan(first, rows)))
        bits.append(reinterpret_cast<const char*>(row.data()), row.size() * sizeof(float));
    }
  }
  EXPECT_EQ(sha256_text(bits), kDigests[static_cast<std::size_t>(GetParam())]);
}

INSTANTIATE_TEST_SUITE_P(HeadSizes, PassBits,
                         ::testing::ValuesIn(speclab::testing::by_size(std::vector{2},
                                                                       std::vector{1, 2},
                                                                       std::vector{0, 1, 2, 3})));

}  // namespace
}  // namespace speclab::engines
