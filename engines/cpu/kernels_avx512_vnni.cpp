#define SPECLAB_KERNELS_NAMESPACE avx512_vnni
#define SPECLAB_KERNELS_NAME "avx512_vnni"
#include "engines/cpu/kernels_impl.h"
