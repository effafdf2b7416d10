#define SPECLAB_KERNELS_NAMESPACE portable
#define SPECLAB_KERNELS_NAME "portable"
#include "engines/cpu/kernels_impl.h"
