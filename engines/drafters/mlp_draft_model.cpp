#include "engines/drafters/draft_model.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

class MlpDraftModel final : public DraftModel {
 public:
  MlpDraftModel(std::shared_ptr<MlpSpeculator> model, std::int32_t state_size)
      : model_(std::move(model)),
        feature_size_(static_cast<std::size_t>(info().feature_size)),
        state_size_(state_size > 0 ? static_cast<std::size_t>(state_size) : feature_size_),
        inner_size_(static_cast<std::size_t>(info().hidden_size)) {}

  const ModelInfo& info() const override { return model_->info(); }
  std::int64_t bytes_read() const override { return bytes_read_; }
  std::int32_t most_levels() const override { return info().num_layers; }
  void begin(std::span<const Sequence> sequences, std::int32_t) override {
    hidden_.assign(sequences.size(), {});
  }
  void read_hidden(const Sequence& sequence, std::span<const float> hidden) override {
    if (hidden.empty()) return;
    const auto last = hidden.last(state_size_).first(feature_size_);
    hidden_[static_cast<std::size_t>(sequence.index)].assign(last.begin(), last.end());
  }
  bool can_draft(const Sequence& sequence, std::int32_t) override {
    return !hidden_of(sequence).empty();
  }

  std::span<const float> read_emitted(const Sequence& sequence) override {
    rows_.assign(1, {hidden_of(sequence).data(), sequence.tokens.back()});
    return over_vocabulary(run_stage(0, 0).logits);
  }

  ForwardResult read_level(const Sequence&, const TokenTree& tree,
                           TokenTree::Node level_begin) override {
    rows_.clear();
    const std::int32_t depth = tree[level_begin].depth;
    for (TokenTree::Node node = level_begin; node < tree.size(); ++node) {
      SPECLAB_EXPECT(tree[node].depth == depth, "the nodes of one level");
      rows_.push_back({&node_states_[static_cast<std::size_t>(tree[node].parent) * inner_size_],
                       tree[node].token});
    }
    const MlpSpeculator::Stage stage = run_stage(depth, level_begin);
    return {.logits = stage.logits,
            .vocab_size = static_cast<std::int32_t>(stage.logits.size() / rows_.size())};
  }

 private:
  const std::vector<float>& hidden_of(const Sequence& sequence) const {
    return hidden_[static_cast<std::size_t>(sequence.index)];
  }

  /// Keeps the states of the nodes from `first` on, which rows_ stand for.
  MlpSpeculator::Stage run_stage(std::int32_t depth, TokenTree::Node first) {
    const MlpSpeculator::Stage stage = model_->run_stage(depth, rows_);
    bytes_read_ += info().weight_bytes;
    node_states_.resize(static_cast<std::size_t>(first) * inner_size_);
    node_states_.insert(node_states_.end(), stage.states.begin(), stage.states.end());
    return stage;
  }

  std::shared_ptr<MlpSpeculator> model_;
  std::size_t feature_size_, state_size_, inner_size_;
  std::vector<std::vector<float>> hidden_;  ///< of each sequence the target's after its last
                                            ///< committed token; empty before there is one
  std::vector<float> node_states_;          ///< [node, inner] of the tree that is being drafted
  std::vector<MlpSpeculator::Row> rows_;
  std::int64_t bytes_read_ = 0;  ///< as if every stage were as large as the first one
};

}  // namespace

std::unique_ptr<DraftModel> mlp_draft_model(std::shared_ptr<MlpSpeculator> model,
                                            std::int32_t state_size) {
  return std::make_unique<MlpDraftModel>(std::move(model), state_size);
}

}  // namespace speclab::engines
