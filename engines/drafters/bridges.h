#pragma once
// Drafters whose model has another tokenizer than the target.

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engines/drafters/draft_model.h"
#include "engines/drafters/retokenized_text.h"
#include "engines/interface/drafter.h"
#include "engines/interface/round_decoder.h"
#include "engines/interface/shared_vocabulary.h"

namespace speclab::engines {

/// The sequences of a batch as the drafter's model reads them: in its own tokens.
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

/// Work of a bridge for each sequence of a batch.
class BridgeMeter {
 public:
  /// @param bridge  one of kBridgeNames
  BridgeMeter(std::string bridge, std::shared_ptr<const SharedVocabulary> shared)
      : bridge_(std::move(bridge)), shared_(std::move(shared)) {}

  void begin(std::size_t num_sequences) {
    uses_.assign(num_sequences, {.bridge = bridge_, .overlap = shared_->overlap()});
  }
  BridgeUse& of(const Sequence& sequence) {
    return uses_[static_cast<std::size_t>(sequence.index)];
  }
  /// All work for the sequence so far, its emitted tokens looked up.
  BridgeUse use(const Sequence& sequence) const {
    BridgeUse use = uses_[static_cast<std::size_t>(sequence.index)];
    use.unshared_outputs =
        std::count_if(sequence.tokens.begin() + sequence.prompt_length, sequence.tokens.end(),
                      [&](Token t) { return shared_->to_draft(t) == SharedVocabulary::kNone; });
    return use;
  }

 private:
  std::string bridge_;
  std::shared_ptr<const SharedVocabulary> shared_;
  std::vector<BridgeUse> uses_;
};

/// A drafter over shared tokens, each of which is one of the drafter's; the model within writes the
/// time of spelling into the meter.
std::unique_ptr<Drafter> metered_drafter(std::unique_ptr<Drafter> drafter,
                                         std::shared_ptr<BridgeMeter> meter);

/// The drafter's tokens that are spelled anew behind a round, and the target's tokens that the
/// spelling of a draft sees. The bridge re_encode spells and sees all.
/// @source transformers 4.49, target_lookbehind and assistant_lookbehind: 10
inline constexpr std::size_t kLookBehind = 10;

struct Bridge {
  std::string kind;  ///< one of kBridgeNames
  TokenizerPair tokenizers;
  std::shared_ptr<const SharedVocabulary> shared;
};

/// A draft model whose laws are over the target's vocabulary: only shared tokens can be drafted, in
/// proportion to the model's probabilities.
/// @source Timor et al. 2025 (arXiv 2502.05202), token-level intersection
std::unique_ptr<DraftModel> shared_vocabulary_model(std::unique_ptr<DraftModel> model,
                                                    const Bridge& bridge,
                                                    std::int32_t target_vocab_size,
                                                    std::shared_ptr<BridgeMeter> meter);

/// Drafts a text with the model in its own tokens and spells it in the target's. Its tokens count
/// as certain, whatever they were drawn from, so any verifier of chains keeps the target's law.
/// @param options  its sampling settings and stop rules hold for the model, but for those that name
/// tokens of the target
/// @source NTT's post on assisted generation (2023), listing of two tokenizers: decode, encode
/// again; transformers 4.49, universal assisted generation: the last tokens alone
std::unique_ptr<Drafter> re_encoding_drafter(std::unique_ptr<DraftModel> model,
                                             const Bridge& bridge, const ModelInfo& target,
                                             const DecoderOptions& options);

/// Either of both, as the bridge says. @throws ConfigError if a text that is spelled anew is to be
/// drafted as a tree, or shared tokens behind a mask
std::unique_ptr<Drafter> bridged_drafter(std::shared_ptr<LanguageModel> model, const Bridge& bridge,
                                         const ModelInfo& target, const DecoderOptions& options);

}  // namespace speclab::engines
