#pragma once
#include <string>

#include "engines/ngrams/ngram_arrays.h"

namespace speclab::engines {

/// Where the arrays begin in their file, bytes.
struct NgramOffsets {
  std::size_t context_tokens, num_successors, first_child, successor_tokens, probabilities;
};

/// What NgramModel relies on: contexts form a tree of at most order - 1 levels, children and
/// successors are in their order, no token is listed twice, and everything stays within the arrays.
/// @throws ModelFileError naming file, offset and field
void check_arrays(const std::string& path, const NgramOffsets& at, const NgramArrays& arrays);

}  // namespace speclab::engines
