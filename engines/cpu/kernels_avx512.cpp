#define SPECLAB_KERNELS_NAMESPACE avx512
#define SPECLAB_KERNELS_NAME "avx512"
#include "engines/cpu/kernels_impl.h"
