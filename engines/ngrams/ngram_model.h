#pragma once
// An n-gram model with back-off: what follows the longest known suffix of a context, then what
// follows shorter ones.

#include <span>
#include <utility>
#include <vector>

#include "engines/ngrams/ngram_arrays.h"
#include "sim/core/law.h"

namespace speclab::engines {

/// The probability of a token is the one stored with the longest suffix of the context that lists
/// the token, times the back-off weights of the longer suffixes that are known but do not; a token
/// that no suffix lists shares the weight of the empty one evenly with the whole vocabulary.
/// @source back-off as in ARPA files (Katz 1987); estimation in ngram_estimation.h
class NgramModel {
 public:
  static constexpr std::int32_t kMaxOrder = 5;
  static constexpr std::int32_t kMaxSuccessors = 255;

  /// @param arrays  consistent, as estimate_ngrams makes and load_ngrams checks them
  explicit NgramModel(NgramArrays arrays);

  std::int32_t vocab_size() const { return arrays_.vocab_size; }
  std::int32_t order() const { return arrays_.order; }
  std::int32_t max_successors() const { return arrays_.max_successors; }
  std::int64_t num_ngrams() const { return static_cast<std::int64_t>(arrays_.num_ngrams()); }
  const NgramArrays& arrays() const { return arrays_; }

  /// The max_successors() most likely of the tokens that some suffix of `context` lists, with their
  /// probabilities, which sum to at most 1 but for rounding.
  /// @param context     tokens, the latest last; only the last order() - 1 are looked at
  /// @param successors  the result, in falling order of probability, ties to the lower id; never
  /// empty
  void most_likely(std::span<const Token> context, std::vector<LawEntry<float>>& successors) const;

  /// Of one token; slow: lists are searched from their beginning.
  double probability(std::span<const Token> context, Token token) const;

 private:
  using Context = std::uint32_t;
  struct List {
    std::size_t begin, end;  ///< among the n-grams
    float back_off;          ///< weight of shorter suffixes
  };
  /// What the known suffixes of the context list, the empty one first; a suffix is read while the
  /// next is looked for.
  /// @return how many
  std::size_t known_lists(std::span<const Token> context, List (&lists)[kMaxOrder]) const;
  /// The child of a context with this oldest token, or 0.
  Context child(Context context, Token older) const;
  /// Where among the contexts a child with this oldest token stands, if it is there.
  std::pair<Context, Context> range_of_child(Context context, std::uint32_t older) const;
  void prefetch(Context context) const;
  List list_of(Context context) const;

  NgramArrays arrays_;
  std::vector<std::uint32_t> block_begin_;  ///< first n-gram of every sixteenth context
  std::vector<Context>
      token_block_;  ///< first context of one token at or behind every sixteenth token
};

}  // namespace speclab::engines
