#pragma once
// ngram.bin by its description, read without engines/ngrams.

#include <cstdint>
#include <string>
#include <vector>

#include "tests/engines/formats/slow_reader.h"

namespace speclab::testing {

struct SlowNgramFile {
  std::uint64_t vocab_size = 0, order = 0, max_successors = 0, num_unigrams = 0;
  std::vector<std::uint64_t> context_tokens, back_off, num_successors, first_child,
      successor_tokens, probabilities;
  std::vector<IntegerField> fields;  ///< all integers of the file
};

/// @throws SlowRefusal
SlowNgramFile read_ngrams_slowly(const std::string& bytes);

}  // namespace speclab::testing
