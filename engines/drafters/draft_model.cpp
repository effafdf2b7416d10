#include "engines/drafters/draft_model.h"

#include <limits>

namespace speclab::engines {

std::span<const float> DraftModel::over_vocabulary(std::span<const float> logits) {
  const std::vector<Token>& draft_vocabulary = info().draft_vocabulary;
  if (draft_vocabulary.empty()) return logits;
  vocabulary_row_.assign(static_cast<std::size_t>(info().vocab_size),
                         -std::numeric_limits<float>::infinity());
  for (std::size_t i = 0; i < draft_vocabulary.size(); ++i)
    vocabulary_row_[static_cast<std::size_t>(draft_vocabulary[i])] = logits[i];
  return vocabulary_row_;
}

}  // namespace speclab::engines
