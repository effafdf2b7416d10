#include <algorithm>
#include <limits>

#include "engines/drafters/bridges.h"
#include "engines/models/clock.h"

namespace speclab::engines {
namespace {

class SharedVocabularyModel final : public DraftModel {
 public:
  SharedVocabularyModel(std::unique_ptr<DraftModel> model, const Bridge& bridge,
                        std::int32_t target_vocab_size, std::shared_ptr<BridgeMeter> meter)
      : model_(std::move(model)),
        shared_(bridge.shared),
        texts_(bridge.tokenizers, kLookBehind),
        meter_(std::move(meter)),
        info_(model_->info()) {
    info_.vocab_size = target_vocab_size;
    for (Token token = 0; token < model_->info().vocab_size; ++token)
      of_vocabulary_.push_back(target_of(token));
    for (const Token token : model_->info().draft_vocabulary)
      of_logits_.push_back(target_of(token));
    if (of_logits_.empty()) of_logits_ = of_vocabulary_;
    info_.draft_vocabulary = shared_targets();
  }

  const ModelInfo& info() const override { return info_; }
  std::int64_t bytes_read() const override { return model_->bytes_read(); }
  std::int32_t most_levels() const override { return model_->most_levels(); }
  void begin(std::span<const Sequence> sequences, std::int32_t spare) override {
    texts_.begin(sequences, spare, *model_);
  }
  void read_hidden(const Sequence&, std::span<const float>) override {}

  bool can_draft(const Sequence& sequence, std::int32_t levels) override {
    LapClock clock;
    const Sequence* own = texts_.read(sequence);
    meter_->of(sequence).spelling_ns += clock.lap_ns();
    return own != nullptr && texts_.pending(sequence).empty() && model_->can_draft(*own, levels);
  }

  std::span<const float> read_emitted(const Sequence& sequence) override {
    return over_target(model_->read_emitted(texts_.of(sequence)), of_vocabulary_);
  }

  ForwardResult read_level(const Sequence& sequence, const TokenTree& tree,
                           TokenTree::Node level_begin) override {
    own_tree_.reset(texts_.of(sequence).tokens.back());
    for (TokenTree::Node node = 1; node < tree.size(); ++node)
      own_tree_.add(tree[node].parent, shared_->to_draft(tree[node].token));
    return model_->read_level(texts_.of(sequence), own_tree_, level_begin);
  }

  std::span<const float> over_vocabulary(std::span<const float> logits) override {
    return over_target(logits, of_logits_);
  }

 private:
  /// Ascending.
  std::vector<Token> shared_targets() const {
    std::vector<Token> targets = of_logits_;
    std::erase(targets, SharedVocabulary::kNone);
    std::ranges::sort(targets);
    return targets;
  }

  Token target_of(Token token) const {
    const Token target = shared_->to_target(token);
    return target < info_.vocab_size ? target : SharedVocabulary::kNone;
  }

  /// @param tokens  the target's token of each logit
  std::span<const float> over_target(std::span<const float> logits, std::span<const Token> tokens) {
    row_.assign(static_cast<std::size_t>(info_.vocab_size),
                -std::numeric_limits<float>::infinity());
    for (std::size_t i = 0; i < logits.size(); ++i)
      if (tokens[i] != SharedVocabulary::kNone)
        row_[static_cast<std::size_t>(tokens[i])] = logits[i];
    return row_;
  }

  std::unique_ptr<DraftModel> model_;
  std::shared_ptr<const SharedVocabulary> shared_;
  DrafterTexts texts_;
  std::shared_ptr<BridgeMeter> meter_;
  ModelInfo info_;                                ///< of the model, over the target's vocabulary
  std::vector<Token> of_vocabulary_, of_logits_;  ///< of the target, by place in a row of logits
  TokenTree own_tree_;
  std::vector<float> row_;
};

}  // namespace

std::unique_ptr<DraftModel> shared_vocabulary_model(std::unique_ptr<DraftModel> model,
                                                    const Bridge& bridge,
                                                    std::int32_t target_vocab_size,
                                                    std::shared_ptr<BridgeMeter> meter) {
  return std::make_unique<SharedVocabularyModel>(std::move(model), bridge, target_vocab_size,
                                                 std::move(meter));
}

}  // namespace speclab::engines
