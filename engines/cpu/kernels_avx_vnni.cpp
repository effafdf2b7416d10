#define SPECLAB_KERNELS_NAMESPACE avx_vnni
#define SPECLAB_KERNELS_NAME "avx_vnni"
#include "engines/cpu/kernels_impl.h"
