#pragma once
// Sizes of vocabularies around those of a warp and of a thread block, where a thread has no, one or
// several tokens.

#include <array>

namespace speclab::engines::cuda {

inline constexpr std::array kVocabularies{1, 31, 33, 1024, 1025, 1500, 2600, 8193, 49152};

}  // namespace speclab::engines::cuda
