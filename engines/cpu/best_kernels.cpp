#include <cpuid.h>

#include <array>

#include "engines/cpu/kernels.h"

namespace speclab::engines::cpu {

namespace avx512_bf16 {
extern const CpuKernels kKernels;
}
namespace avx512_vnni {
extern const CpuKernels kKernels;
}
namespace avx512 {
extern const CpuKernels kKernels;
}
namespace avx_vnni {
extern const CpuKernels kKernels;
}
namespace avx2 {
extern const CpuKernels kKernels;
}
namespace portable {
extern const CpuKernels kKernels;
}

namespace {

/// GCC 12 has no name for it. @source Intel SDM, CPUID leaf 7, subleaf 1, EAX bit 4
bool has_avx_vnni() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax >> 4 & 1) != 0;
}

struct Table {
  const CpuKernels* kernels;
  bool is_runnable;
};

std::array<Table, 6> all_tables() {
  const bool narrow = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("f16c");
  const bool wide = narrow && __builtin_cpu_supports("avx512f") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
  const bool wide_vnni = wide && __builtin_cpu_supports("avx512vnni");
  return {{{&avx512_bf16::kKernels, wide_vnni && __builtin_cpu_supports("avx512bf16")},
           {&avx512_vnni::kKernels, wide_vnni},
           {&avx512::kKernels, wide},
           {&avx_vnni::kKernels, narrow && has_avx_vnni()},
           {&avx2::kKernels, narrow},
           {&portable::kKernels, true}}};
}

}  // namespace

const CpuKernels* const* runnable_kernels() {
  static const auto runnable = [] {
    std::array<const CpuKernels*, 7> found{};
    auto* end = found.data();
    for (const Table& table : all_tables())
      if (table.is_runnable) *end++ = table.kernels;
    return found;
  }();
  return runnable.data();
}

const CpuKernels* best_kernels() { return *runnable_kernels(); }

}  // namespace speclab::engines::cpu
