#pragma once
// Names that configs and engines share, so that a config can be checked before the engines are opened.

#include <algorithm>
#include <array>
#include <string_view>

namespace speclab::engines {

inline constexpr std::array<const char*, 4> kDrafterKinds{"none", "bigram", "prompt_lookup", "small_transformer"};
/// Those of them that draw token trees; the others draft chains.
inline constexpr std::array<const char*, 1> kTreeDrafterKinds{"small_transformer"};
/// Those of them that read a model.
inline constexpr std::array<const char*, 2> kModelDrafterKinds{"bigram", "small_transformer"};
inline constexpr std::array<const char*, 3> kVerifierKinds{"greedy", "rejection", "replay"};
/// Catalogue names of models with random weights begin so.
inline constexpr const char* kShapeModelPrefix = "shape-";

inline bool is_among(std::string_view name, const auto& names) { return std::ranges::find(names, name) != names.end(); }

}  // namespace speclab::engines
