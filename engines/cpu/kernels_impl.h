// The source of every instruction set's kernels: included once by each kernels_<isa>.cpp, which
// defines SPECLAB_KERNELS_NAMESPACE and SPECLAB_KERNELS_NAME.

#include <cstdint>
#include <cstring>

#include "engines/cpu/kernels.h"
#include "engines/cpu/kernels/attend.h"
#include "engines/cpu/kernels/low_bit.h"
#include "engines/cpu/kernels/multiply.h"
#include "engines/cpu/kernels/rows.h"
#include "engines/cpu/kernels/vocabulary.h"

namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE {
namespace {

/// The read of the bandwidth probe.
std::uint64_t read_sum(const void* data, std::int64_t bytes) {
  typedef std::uint64_t Words __attribute__((vector_size(kRegisterBytes)));
  constexpr int kStreams = 4 * 64 / kRegisterBytes;
  Words sum[kStreams] = {};
  const char* p = static_cast<const char*>(data);
  for (std::int64_t i = 0; i + 256 <= bytes; i += 256) {
    __builtin_prefetch(p + i + 4096);
    for (int s = 0; s < kStreams; ++s) {
      Words w;
      std::memcpy(&w, p + i + s * kRegisterBytes, sizeof w);
      sum[s] = sum[s] + w;
    }
  }
  std::uint64_t total = 0;
  for (const Words& s : sum)
    for (int i = 0; i < kRegisterBytes / 8; ++i) total += s[i];
  return total;
}

}  // namespace

extern const CpuKernels kKernels;
#ifdef __AVX512BF16__
constexpr bool kExpandsFast = true;
#else
constexpr bool kExpandsFast = false;
#endif
const CpuKernels kKernels = {SPECLAB_KERNELS_NAME,
                             kExpandsFast,
                             multiply<float>,
                             multiply<BFloat16>,
                             multiply_low_bit,
                             expand_block,
                             make_groups,
                             norm,
                             attend,
                             convert,
                             soft_cap,
                             largest,
                             exponentials,
                             scale,
                             arg_max,
                             read_sum};

}  // namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE
