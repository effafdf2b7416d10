#pragma once
// N-gram models of a few tokens for tests.

#include "engines/ngrams/ngram_estimation.h"

namespace speclab::engines::testing {

inline std::shared_ptr<const NgramModel> ngrams_of(const std::vector<std::vector<Token>>& texts,
                                                   std::int32_t vocab_size,
                                                   const NgramOptions& options) {
  std::vector<NgramText> spans;
  for (const std::vector<Token>& text : texts) spans.push_back({text});
  return std::make_shared<NgramModel>(estimate_ngrams(spans, vocab_size, options));
}

}  // namespace speclab::engines::testing
