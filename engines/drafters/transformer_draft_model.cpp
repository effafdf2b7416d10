#include "engines/drafters/draft_model.h"

#include <algorithm>

#include "engines/models/commit_chain.h"
#include "engines/models/wrapped_models.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

class TransformerDraftModel final : public DraftModel {
 public:
  TransformerDraftModel(std::shared_ptr<LanguageModel> model, std::int32_t state_size)
      : model_(std::move(model)),
        counted_(*model_),
        feature_size_(static_cast<std::size_t>(model_->info().feature_size)),
        state_size_(state_size > 0 ? static_cast<std::size_t>(state_size) : feature_size_) {}

  const ModelInfo& info() const override { return model_->info(); }
  std::int64_t bytes_read() const override { return counted_.bytes_read(); }
  std::int32_t most_levels() const override { return info().context_length; }
  void begin(std::span<const Sequence> sequences, std::int32_t spare) override;
  void read_hidden(const Sequence& sequence, std::span<const float> hidden) override;
  bool can_draft(const Sequence& sequence, std::int32_t levels) override;
  std::span<const float> read_emitted(const Sequence& sequence) override;
  /// One forward over the last level and what it hangs from but the root, of which nothing is
  /// committed.
  ForwardResult read_level(const Sequence& sequence, const TokenTree& tree,
                           TokenTree::Node level_begin) override;

 private:
  static constexpr std::int32_t kUnread = -2;
  struct Reading {
    std::int32_t slot = 0;
    std::vector<Token> tokens{};  ///< of the cache; of a model without hidden states alone
    std::vector<float> hidden{};  ///< of committed target tokens that no row has used yet
  };
  Reading& reading(const Sequence& sequence) {
    return readings_[static_cast<std::size_t>(sequence.index)];
  }
  void forget_other_text(const Sequence& sequence);
  /// Sets row_of_node_ to something else than kUnread for what the last level hangs from, itself
  /// included.
  void mark_ancestors(const TokenTree& tree, TokenTree::Node level_begin);
  void keep_hidden(const ForwardResult& result, TokenTree::Node first);

  std::shared_ptr<LanguageModel> model_;
  CountedModel counted_;
  std::size_t feature_size_, state_size_;
  std::unique_ptr<KvCache> cache_;
  std::vector<Reading> readings_;
  std::vector<float> node_hidden_;  ///< [node, feature_size] of the tree that is being drafted: its
                                    ///< own state, then zeros
  std::vector<std::int32_t> row_of_node_;  ///< of the coming forward, or kUnread
  std::vector<ForwardRow> rows_;
};

void TransformerDraftModel::begin(std::span<const Sequence> sequences, std::int32_t spare) {
  std::size_t longest = 0;
  for (const Sequence& sequence : sequences) longest = std::max(longest, sequence.tokens.size());
  const std::int32_t capacity = static_cast<std::int32_t>(longest) + spare;
  if (cache_ && readings_.size() == sequences.size() && cache_->capacity() >= capacity) {
    for (Reading& reading : readings_) {
      cache_->truncate(reading.slot, 0);
      reading.hidden.clear();
      reading.tokens.clear();
    }
    return;
  }
  cache_ = model_->make_cache(static_cast<std::int32_t>(sequences.size()), capacity);
  readings_.clear();
  for (std::size_t i = 0; i < sequences.size(); ++i) readings_.push_back({cache_->begin()});
}

void TransformerDraftModel::read_hidden(const Sequence& sequence, std::span<const float> hidden) {
  std::vector<float>& kept = reading(sequence).hidden;
  for (std::size_t begin = 0; begin < hidden.size(); begin += state_size_)
    kept.insert(kept.end(), hidden.begin() + static_cast<std::ptrdiff_t>(begin),
                hidden.begin() + static_cast<std::ptrdiff_t>(begin + feature_size_));
}

bool TransformerDraftModel::can_draft(const Sequence& sequence, std::int32_t levels) {
  const bool fits =
      static_cast<std::int32_t>(sequence.tokens.size()) - 1 + levels < info().context_length;
  return fits && (!reads_hidden() || !reading(sequence).hidden.empty());
}

/// The last token is read again even if it is the same, because its logits are wanted.
void TransformerDraftModel::forget_other_text(const Sequence& sequence) {
  auto& [slot, read, hidden] = reading(sequence);
  const std::vector<Token>& tokens = sequence.tokens;
  auto same = static_cast<std::size_t>(std::ranges::mismatch(read, tokens).in1 - read.begin());
  same = std::min(same, tokens.size() - 1);
  if (read.size() > same) cache_->truncate(slot, static_cast<std::int32_t>(same));
  read = tokens;
}

std::span<const float> TransformerDraftModel::read_emitted(const Sequence& sequence) {
  if (!reads_hidden()) forget_other_text(sequence);
  Reading& reading = this->reading(sequence);
  const auto skipped =
      static_cast<std::size_t>(cache_->length(reading.slot)) + (reads_hidden() ? 1 : 0);
  const std::span tokens = std::span(sequence.tokens).subspan(skipped);
  SPECLAB_EXPECT(reading.hidden.size() == tokens.size() * feature_size_,
                 "a hidden state of the target beside every token");
  const ForwardResult result =
      commit_chain_with_logits(counted_, *cache_, reading.slot, {tokens, reading.hidden});
  reading.hidden.clear();
  keep_hidden(result, 0);
  return over_vocabulary(result.row(0));
}

ForwardResult TransformerDraftModel::read_level(const Sequence& sequence, const TokenTree& tree,
                                                TokenTree::Node level_begin) {
  rows_.clear();
  mark_ancestors(tree, level_begin);
  const std::int32_t slot = reading(sequence).slot, root_position = cache_->length(slot) - 1;
  for (TokenTree::Node node = 1; node < tree.size(); ++node) {
    std::int32_t& row = row_of_node_[static_cast<std::size_t>(node)];
    if (row == kUnread) continue;
    row = static_cast<std::int32_t>(rows_.size());
    const auto parent = static_cast<std::size_t>(tree[node].parent);
    const bool is_last_level = node >= level_begin;
    rows_.push_back({tree[node].token, root_position + tree[node].depth, slot, row_of_node_[parent],
                     is_last_level, is_last_level && reads_hidden(),
                     reads_hidden() ? &node_hidden_[parent * feature_size_] : nullptr});
  }
  const ForwardResult result = counted_.forward(rows_, *cache_);
  keep_hidden(result, level_begin);
  return result;
}

void TransformerDraftModel::mark_ancestors(const TokenTree& tree, TokenTree::Node level_begin) {
  row_of_node_.assign(static_cast<std::size_t>(tree.size()), kUnread);
  row_of_node_[0] = ForwardRow::kCommitted;
  for (TokenTree::Node leaf = level_begin; leaf < tree.size(); ++leaf)
    for (TokenTree::Node node = leaf; row_of_node_[static_cast<std::size_t>(node)] == kUnread;
         node = tree[node].parent)
      row_of_node_[static_cast<std::size_t>(node)] = 0;
}

void TransformerDraftModel::keep_hidden(const ForwardResult& result, TokenTree::Node first) {
  if (!reads_hidden()) return;
  node_hidden_.resize(static_cast<std::size_t>(first) * feature_size_);
  const auto own_size = static_cast<std::size_t>(result.state_size);
  for (std::size_t begin = 0; begin < result.hidden.size(); begin += own_size) {
    const std::span<const float> own = result.hidden.subspan(begin, own_size);
    node_hidden_.insert(node_hidden_.end(), own.begin(), own.end());
    node_hidden_.resize(node_hidden_.size() + feature_size_ - own_size);
  }
}

}  // namespace

std::unique_ptr<DraftModel> transformer_draft_model(std::shared_ptr<LanguageModel> model,
                                                    std::int32_t state_size) {
  return std::make_unique<TransformerDraftModel>(std::move(model), state_size);
}

}  // namespace speclab::engines
