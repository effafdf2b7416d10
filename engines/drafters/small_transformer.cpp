#include <algorithm>
#include <numeric>

#include "engines/drafters/draft_model.h"
#include "engines/drafters/drafters.h"
#include "engines/interface/names.h"
#include "engines/sampling/history.h"
#include "engines/sampling/logits_pipeline.h"
#include "sim/core/chance.h"
#include "sim/core/law_sampling.h"
#include "sim/core/round_key.h"

namespace speclab::engines {
namespace {

/// Level by level. The first forward of a proposal reads and commits the tokens that were emitted since the last one, the
/// pending token included; every further level is one forward over the whole tree so far, of which nothing is committed, so
/// there is never anything to undo. A policy that drafts nothing costs nothing.
class SmallTransformerDrafter final : public Drafter {
 public:
  SmallTransformerDrafter(std::shared_ptr<LanguageModel> model, const DecoderOptions& options)
      : model_(std::move(model)), options_(options), pipeline_(options.sampling, model_.info().name), chance_(chance_of(options)) {
    if (options.drafter.tree != "chain") shape_parents_ = TreeShape::parse(options.drafter.tree, 1).parents();
  }

  std::string name() const override { return is_chain() ? "small_transformer" : "small_transformer " + options_.drafter.tree; }

  bool reads_hidden() const override { return model_.reads_hidden(); }

  void begin(std::span<const Sequence> sequences) override {
    model_.begin(sequences, options_.stop.max_new_tokens + static_cast<std::int32_t>(shape_parents_.size()) + 1);
  }

  void read_hidden(const Sequence& sequence, std::span<const float> hidden) override { model_.read_hidden(sequence, hidden); }

  void propose(std::span<const Sequence* const> sequences, std::span<const std::int32_t> max_lengths, std::span<Draft> drafts) override {
    for (std::size_t i = 0; i < sequences.size(); ++i) propose_one(*sequences[i], max_lengths[i], drafts[i]);
  }

  void observe(const Sequence&, const Draft&, const Verdict&) override {}

 private:
  bool is_chain() const { return shape_parents_.empty(); }

  DrawKind draw_kind() const {
    if (options_.sampling.temperature == 0) return DrawKind::arg_max;
    return is_chain() || is_among(options_.verifier, kReplacementVerifierKinds) ? DrawKind::sampled : DrawKind::sampled_without_replacement;
  }

  /// Drafts nothing once the sequence would leave the drafter's context.
  void propose_one(const Sequence& sequence, std::int32_t max_length, Draft& draft) {
    draft.reset(sequence.tokens.back(), draw_kind());
    shape_nodes_.assign(1, 0);
    if (max_length == 0 || !model_.can_draft(sequence, max_length)) return;
    TokenTree::Node level_begin = 0;
    for (std::int32_t depth = 0; depth < max_length; ++depth) {
      const TokenTree::Node level_end = draft.tree.size();
      if (depth == 0) grow(sequence, model_.read_emitted(sequence), 0, draft);
      else grow_level(sequence, level_begin, draft);
      if (draft.tree.size() == level_end) return;
      level_begin = level_end;
    }
  }

  void grow_level(const Sequence& sequence, TokenTree::Node level_begin, Draft& draft) {
    const TokenTree::Node level_end = draft.tree.size();
    const ForwardResult result = model_.read_level(sequence, draft.tree, level_begin);
    for (TokenTree::Node node = level_begin; node < level_end; ++node)
      grow(sequence, model_.over_vocabulary(result.row(static_cast<std::size_t>(node - level_begin))), node, draft);
  }

  /// Draws the children of `node` from the law after it.
  void grow(const Sequence& sequence, std::span<const float> logits, TokenTree::Node node, Draft& draft) {
    children_.clear();
    if (is_chain()) children_.push_back(0);
    for (std::size_t i = 0; i < shape_parents_.size(); ++i)
      if (shape_parents_[i] == shape_nodes_[static_cast<std::size_t>(node)]) children_.push_back(static_cast<int>(i) + 1);
    if (children_.empty()) return;
    collect_history(options_.sampling, sequence.tokens, draft.tree, node, history_);
    draw_tokens(sequence, logits, node, draft);
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      draft.add(node, tokens_[i]);
      shape_nodes_.push_back(children_[i]);
    }
  }

  void draw_tokens(const Sequence& sequence, std::span<const float> logits, TokenTree::Node node, Draft& draft) {
    const RoundKey key{sequence.id, static_cast<std::uint32_t>(sequence.tokens.size()), sequence.round};
    const StreamKey first_key = draft_key(key, draft.tree[node].depth, draft.tree.size());
    Law& law = draft.law_for(node);
    if (draft.draw_kind == DrawKind::arg_max && children_.size() > 1) return pick_most_likely(logits, law);
    pipeline_.law(logits, history_, law);
    if (draft.draw_kind == DrawKind::sampled_without_replacement)
      return sample_without_replacement(law, children_.size(), first_key, *chance_, scratch_, tokens_);
    tokens_.clear();
    for (StreamKey key_of_child = first_key; tokens_.size() < children_.size(); ++key_of_child.draw) tokens_.push_back(sample(law, key_of_child, *chance_, scratch_));
  }

  /// The children_.size() largest logits, ties to the lower id; each is a draft of certainty.
  void pick_most_likely(std::span<const float> logits, Law& law) {
    pipeline_.law(logits, history_, law);  // refuses logits that are no numbers
    candidates_.resize(logits.size());
    std::iota(candidates_.begin(), candidates_.end(), 0);
    const auto count = static_cast<std::ptrdiff_t>(std::min(children_.size(), logits.size()));
    std::partial_sort(candidates_.begin(), candidates_.begin() + count, candidates_.end(), [&](Token a, Token b) {
      const float x = logits[static_cast<std::size_t>(a)], y = logits[static_cast<std::size_t>(b)];
      return x > y || (x == y && a < b);
    });
    tokens_.assign(candidates_.begin(), candidates_.begin() + count);
    law.assign_point_mass(logits.size(), tokens_.front());
  }

  DraftModel model_;
  DecoderOptions options_;
  LogitsPipeline pipeline_;
  std::shared_ptr<Chance> chance_;
  std::vector<int> shape_parents_;  ///< empty for a chain
  std::vector<int> shape_nodes_;    ///< node of the shape that each drafted node stands for
  std::vector<int> children_;
  std::vector<Token> history_, tokens_, candidates_;
  std::vector<float> scratch_;
};

}  // namespace

std::unique_ptr<Drafter> make_small_transformer_drafter(std::shared_ptr<LanguageModel> model, const DecoderOptions& options) {
  return std::make_unique<SmallTransformerDrafter>(std::move(model), options);
}

}  // namespace speclab::engines
