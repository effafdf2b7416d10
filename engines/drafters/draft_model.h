#pragma once
// A small language model as a drafter reads it: with a cache of its own, and where it is a feature transformer beside the target's
// hidden states.

#include <memory>
#include <span>
#include <vector>

#include "engines/interface/drafter.h"
#include "engines/interface/language_model.h"

namespace speclab::engines {

/// Token t[j + 1] stands in a row beside the target's hidden state after t[j]; such a model's row j then draws t[j + 2]. Drafted
/// rows get the model's own hidden state of the row before in its place. A model without features reads tokens alone.
/// @source Li et al. 2024, EAGLE, section 4.1: drafting at the level of features
class DraftModel {
 public:
  explicit DraftModel(std::shared_ptr<LanguageModel> model);

  bool reads_hidden() const { return feature_size_ > 0; }
  /// @param spare  tokens that a sequence may grow by, rows of a tree included
  void begin(std::span<const Sequence> sequences, std::int32_t spare);
  /// Keeps what the next read_emitted puts beside its tokens. @param hidden  [count, feature_size]
  void read_hidden(const Sequence& sequence, std::span<const float> hidden);
  /// Whether `levels` further tokens fit its context and, of a feature transformer, whether there is a state to draft from.
  bool can_draft(const Sequence& sequence, std::int32_t levels) const;

  /// Reads and commits the tokens emitted since the last call, the pending one included. @return logits after it, one row
  std::span<const float> read_emitted(const Sequence& sequence);
  /// One forward over the last level and what it hangs from but the root, of which nothing is committed. @param level_begin  first
  /// node of the last level @return logits after the nodes from there on
  ForwardResult read_level(const Sequence& sequence, const TokenTree& tree, TokenTree::Node level_begin);

  /// Brings a row of logits to the whole vocabulary: minus infinity outside the draft vocabulary.
  std::span<const float> over_vocabulary(std::span<const float> logits);
  const ModelInfo& info() const { return model_->info(); }

 private:
  static constexpr std::int32_t kUnread = -2;
  struct Reading {
    std::int32_t slot = 0;
    std::vector<float> hidden{};  ///< of committed target tokens that no row has used yet
  };
  Reading& reading(const Sequence& sequence) { return readings_[static_cast<std::size_t>(sequence.index)]; }
  const Reading& reading(const Sequence& sequence) const { return readings_[static_cast<std::size_t>(sequence.index)]; }
  /// Sets row_of_node_ to something else than kUnread for what the last level hangs from, itself included.
  void mark_ancestors(const TokenTree& tree, TokenTree::Node level_begin);
  void keep_hidden(const ForwardResult& result, TokenTree::Node first);

  std::shared_ptr<LanguageModel> model_;
  std::size_t feature_size_;
  std::unique_ptr<KvCache> cache_;
  std::vector<Reading> readings_;
  std::vector<float> node_hidden_;      ///< [node, feature_size] of the tree that is being drafted
  std::vector<std::int32_t> row_of_node_;  ///< of the coming forward, or kUnread
  std::vector<ForwardRow> rows_;
  std::vector<float> vocabulary_row_;
};

}  // namespace speclab::engines
