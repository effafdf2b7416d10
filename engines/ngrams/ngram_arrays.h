#pragma once
// What an n-gram model is made of, in memory as in its file.
//
// Contexts are numbered breadth first: 0 is the empty one, then those of one token by that token,
// then those of two by the latest and then the older token, and so on. Every context lists the
// tokens seen after it. An n-gram, a context with a successor, costs 5 bytes; a context 6.25, and 3
// more where longer contexts may continue it.

#include <cstdint>
#include <vector>

#include "engines/ngrams/packed_24.h"

namespace speclab::engines {

struct NgramArrays {
  std::int32_t vocab_size = 0;
  std::int32_t order = 0;
  std::int32_t max_successors = 0;  ///< of a law, and stored for every context but the empty one
  std::uint32_t num_unigrams = 0;   ///< successors of the empty context
  Packed24 context_tokens;          ///< [contexts], the oldest token of each; 0 for the empty one
  std::vector<std::uint16_t> back_off;  ///< [contexts], small floats of the weight / kBackOffScale
  std::vector<std::uint8_t>
      num_successors;         ///< [contexts]; 0 for the empty one, which has num_unigrams
  Packed24 first_child;       ///< [inner contexts + 1]: children of c are first_child[c] to
                              ///< first_child[c + 1]
  Packed24 successor_tokens;  ///< [n-grams], context by context, in falling order of probability,
                              ///< ties to the lower id
  std::vector<std::uint16_t> probabilities;  ///< [n-grams], small floats

  std::size_t num_contexts() const { return back_off.size(); }
  std::size_t num_inner() const { return first_child.size() - 1; }
  std::size_t num_ngrams() const { return probabilities.size(); }
};

/// Where n-grams were dropped the weight of what is shorter may exceed 1.
inline constexpr float kBackOffScale = 16.0f;

}  // namespace speclab::engines
