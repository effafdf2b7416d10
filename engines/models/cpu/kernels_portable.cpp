#define SPECLAB_KERNELS_NAMESPACE portable
#define SPECLAB_KERNELS_NAME "portable"
#include "engines/models/cpu/kernels_impl.h"
