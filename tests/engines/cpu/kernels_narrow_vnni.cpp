#define SPECLAB_KERNELS_NAMESPACE narrow_vnni
#define SPECLAB_KERNELS_NAME "narrow_vnni"
#define SPECLAB_NARROW_REGISTERS
#include "engines/cpu/kernels_impl.h"
