#pragma once
// N-grams counted and smoothed straight from the definitions, in double, with a map.

#include <map>
#include <set>

#include "engines/ngrams/ngram_estimation.h"

namespace speclab::engines::testing {

using Tokens = std::vector<Token>;

class SlowNgrams {
 public:
  SlowNgrams(const std::vector<NgramText>& texts, std::int32_t vocab_size, std::int32_t order);

  /// How often the n-gram occurs. The token vocab_size stands for what is before a text.
  int occurrences(const Tokens& ngram) const;
  /// Occurrences of an n-gram of the highest order; of a shorter one how many different tokens
  /// stand before it.
  int count(const Tokens& ngram) const;
  /// Interpolated modified Kneser-Ney; of an unknown context that of the next shorter one.
  double probability(const Tokens& context, Token token) const;
  /// All n-grams of one order that do not reach over the beginning of a text.
  std::vector<Tokens> ngrams(std::size_t order) const;

 private:
  double discount(std::size_t order, int count) const;

  std::int32_t vocab_size_;
  std::size_t order_;
  std::map<Tokens, int> occurrences_;  ///< of every order
  std::map<Tokens, std::set<Token>> before_;
  std::map<Tokens, std::set<Token>> after_;
};

/// Texts of a few words that like to repeat themselves.
std::vector<Tokens> random_texts(unsigned seed, std::int32_t vocab_size, int num_texts, int length);
std::vector<NgramText> as_ngram_texts(const std::vector<Tokens>& texts, std::size_t first = 0);

}  // namespace speclab::engines::testing
