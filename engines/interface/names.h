#pragma once
// Names that configs and engines share, so that a config can be checked before the engines are opened.

#include <array>

namespace speclab::engines {

inline constexpr std::array<const char*, 4> kDrafterKinds{"none", "bigram", "prompt_lookup", "small_transformer"};
inline constexpr std::array<const char*, 3> kVerifierKinds{"greedy", "rejection", "replay"};
/// Catalogue names of models with random weights begin so.
inline constexpr const char* kShapeModelPrefix = "shape-";

}  // namespace speclab::engines
