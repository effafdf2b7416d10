#pragma once
#include "engines/ngrams/ngram_counts.h"

namespace speclab::engines {

/// What is taken off a count of one, of two, and of three or more.
/// @source Chen and Goodman 1999, Eq. 26: modified Kneser-Ney
class Discounts {
 public:
  /// From how many n-grams of the level have the counts one to four; where there are none of one of
  /// them, 0.75 of every count.
  /// @param boundary  the token that stands for the beginning of a text; n-grams behind it are left
  /// out
  Discounts(const NgramLevel& level, Token boundary);

  double of(std::uint32_t count) const { return by_count_[count < 3 ? count - 1 : 2]; }

 private:
  double by_count_[3] = {0.75, 0.75, 0.75};
};

}  // namespace speclab::engines
