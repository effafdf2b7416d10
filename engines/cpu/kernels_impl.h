// The source of every instruction set's kernels: included once by each kernels_<isa>.cpp, which
// defines SPECLAB_KERNELS_NAMESPACE and SPECLAB_KERNELS_NAME.

#include "engines/cpu/kernels.h"
#include "engines/cpu/kernels/attend.h"
#include "engines/cpu/kernels/low_bit.h"
#include "engines/cpu/kernels/multiply.h"
#include "engines/cpu/kernels/read_sum.h"
#include "engines/cpu/kernels/rows.h"
#include "engines/cpu/kernels/vocabulary.h"

namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE {

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
                             softmax,
                             arg_max,
                             read_sum};

}  // namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE
