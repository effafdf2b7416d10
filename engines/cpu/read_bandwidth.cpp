#include "engines/cpu/read_bandwidth.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

#include "engines/cpu/huge_buffer.h"
#include "engines/cpu/kernels.h"
#include "sim/system/errors.h"

namespace speclab::engines::cpu {

double read_bandwidth(ThreadTeam& team, std::int64_t bytes, int passes) {
  SPECLAB_EXPECT(bytes >= (std::int64_t{1} << 20) && passes > 0,
                 "a bandwidth probe reads at least 1 MiB, at least once");
  const HugeBuffer buffer = make_huge_buffer(static_cast<std::size_t>(bytes));
  std::memset(buffer.get(), 1, static_cast<std::size_t>(bytes));
  const std::int64_t part = bytes / team.size() / 4096 * 4096;
  std::atomic<std::uint64_t> sum = 0;
  double best_s = 1e300;
  for (int pass = 0; pass < passes; ++pass) {
    const auto start = std::chrono::steady_clock::now();
    team.run([&](int rank) {
      sum += best_kernels()->read_sum(static_cast<const char*>(buffer.get()) + rank * part, part);
    });
    best_s = std::min(
        best_s, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  SPECLAB_EXPECT(sum != 0, "the probe read nothing");
  return static_cast<double>(part * team.size()) / best_s;
}

}  // namespace speclab::engines::cpu
