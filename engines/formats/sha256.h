#pragma once
// The old place of sim/core/sha256.h, for experiments/drivers/run/{manifest,measurement}.cpp until they include that.

#include "sim/core/sha256.h"

namespace speclab::engines {
using speclab::sha256_text;
}  // namespace speclab::engines
