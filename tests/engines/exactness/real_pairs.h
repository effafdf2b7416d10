#pragma once
// Laws of the default model and its small transformer at 200 places of real text.

#include <vector>

#include "sim/core/law.h"

namespace speclab::engines::testing {

inline constexpr std::size_t kContexts = 200;
inline constexpr std::size_t kVocab = 64;

/// The target's law of a place and the drafter's, each reduced to the 63 tokens that are likeliest
/// in their sum and the rest.
struct LawPair {
  Law target, draft;
};

/// [kContexts]. Logged while the default model writes (logged_pairs.cpp), or read from the file
/// that log_pairs wrote and SPECLAB_PAIRS names (stored_pairs.cpp); a program links one of the two.
const std::vector<LawPair>& real_pairs();

}  // namespace speclab::engines::testing
