#define SPECLAB_KERNELS_NAMESPACE avx2
#define SPECLAB_KERNELS_NAME "avx2"
#include "engines/cpu/kernels_impl.h"
