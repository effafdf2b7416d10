#pragma once
#include <cstdint>

namespace speclab {

using Token = std::int32_t;  ///< id in a vocabulary, in [0, vocab_size)

}  // namespace speclab
