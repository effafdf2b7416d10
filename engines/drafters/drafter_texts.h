#pragma once
// The sequences of a batch as the drafter's model reads them: in its own tokens.

#include <span>
#include <vector>

#include "engines/drafters/draft_model.h"
#include "engines/drafters/retokenized_text.h"

namespace speclab::engines {

class DrafterTexts {
 public:
  /// @param look_behind  as RetokenizedText has it
  DrafterTexts(const TokenizerPair& tokenizers, std::size_t look_behind)
      : tokenizers_(tokenizers), look_behind_(look_behind) {}

  /// Begins a batch, and the model's with it, in a cache with room for `spare` times kGrowth
  /// tokens. @throws ConfigError if the drafter's tokenizer cannot spell a prompt
  void begin(std::span<const Sequence> sequences, std::int32_t spare, DraftModel& model);
  /// Reads what the target has emitted.
  /// @return the sequence in the drafter's tokens; null where the text has none, or no room for
  /// `spare` more
  const Sequence* read(const Sequence& sequence);
  /// The sequence that the last read left.
  const Sequence& of(const Sequence& sequence) const {
    return sequences_[static_cast<std::size_t>(sequence.index)];
  }
  /// Bytes that no token holds yet; see RetokenizedText.
  const std::string& pending(const Sequence& sequence) const {
    return texts_[static_cast<std::size_t>(sequence.index)].pending();
  }

 private:
  static constexpr std::int32_t kGrowth = 3;  ///< drafter's tokens for one of the target's, at most

  TokenizerPair tokenizers_;
  std::size_t look_behind_;
  std::int32_t spare_ = 0, room_ = 0;  ///< tokens
  std::vector<Sequence> sequences_;
  std::vector<RetokenizedText> texts_;
};

}  // namespace speclab::engines
