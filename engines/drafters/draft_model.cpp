#include "engines/drafters/draft_model.h"

#include <algorithm>
#include <limits>

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

std::span<const float> DraftModel::over_vocabulary(std::span<const float> logits) {
  const std::vector<Token>& draft_vocabulary = info().draft_vocabulary;
  if (draft_vocabulary.empty()) return logits;
  vocabulary_row_.assign(static_cast<std::size_t>(info().vocab_size),
                         -std::numeric_limits<float>::infinity());
  for (std::size_t i = 0; i < draft_vocabulary.size(); ++i)
    vocabulary_row_[static_cast<std::size_t>(draft_vocabulary[i])] = logits[i];
  return vocabulary_row_;
}

std::unique_ptr<DraftModel> transformer_draft_model(std::shared_ptr<LanguageModel> model,
                                                    std::int32_t state_size) {
  return std::make_unique<TransformerDraftModel>(std::move(model), state_size);
}

std::unique_ptr<DraftModel> mlp_draft_model(std::shared_ptr<MlpSpeculator> model,
                                            std::int32_t state_size) {
  return std::make_unique<MlpDraftModel>(std::move(model), state_size);
}

}  // namespace speclab::engines
