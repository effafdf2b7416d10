#define SPECLAB_KERNELS_NAMESPACE avx512_bf16
#define SPECLAB_KERNELS_NAME "avx512_bf16"
#include "engines/cpu/kernels_impl.h"
