#include "engines/cpu/kernels.h"

namespace speclab::engines::cpu {

namespace avx512_bf16 {
extern const CpuKernels kKernels;
}
namespace avx512 {
extern const CpuKernels kKernels;
}
namespace avx2 {
extern const CpuKernels kKernels;
}
namespace portable {
extern const CpuKernels kKernels;
}

const CpuKernels* const* runnable_kernels() {
  static const CpuKernels* const all[] = {&avx512_bf16::kKernels, &avx512::kKernels,
                                          &avx2::kKernels, &portable::kKernels, nullptr};
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  const bool narrow = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("f16c");
  if (wide && narrow && __builtin_cpu_supports("avx512bf16") &&
      __builtin_cpu_supports("avx512vnni"))
    return all;
  if (wide && narrow) return all + 1;
  if (narrow) return all + 2;
  return all + 3;
}

const CpuKernels* best_kernels() { return *runnable_kernels(); }

}  // namespace speclab::engines::cpu
