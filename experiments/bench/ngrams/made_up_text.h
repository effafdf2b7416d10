#pragma once
#include <cstdint>
#include <vector>

#include "sim/core/token.h"

namespace speclab::bench {

inline constexpr std::int32_t kTextVocab = 49'152;

/// Zipf's law of ids; two tokens in three are one of four that like to follow the one before.
std::vector<Token> made_up_text(std::size_t size, std::uint64_t seed);

/// Sentences of a few that come again and again: prompts that are copied from.
std::vector<Token> repetitive_text(std::size_t size);

}  // namespace speclab::bench
