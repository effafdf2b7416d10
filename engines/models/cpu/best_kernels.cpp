#include "engines/models/cpu/kernels.h"

namespace speclab::engines::cpu {

namespace avx512_bf16 { extern const CpuKernels kKernels; }
namespace avx512 { extern const CpuKernels kKernels; }
namespace avx2 { extern const CpuKernels kKernels; }
namespace portable { extern const CpuKernels kKernels; }

const CpuKernels* best_kernels() {
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (wide && __builtin_cpu_supports("avx512bf16")) return &avx512_bf16::kKernels;
  if (wide) return &avx512::kKernels;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &avx2::kKernels;
  return &portable::kKernels;
}

}  // namespace speclab::engines::cpu
