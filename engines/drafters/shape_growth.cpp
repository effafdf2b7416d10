#include <algorithm>

#include "engines/drafters/next_tokens.h"
#include "engines/interface/names.h"
#include "sim/core/chance.h"
#include "sim/core/law_sampling.h"
#include "sim/core/rng_stream.h"
#include "sim/core/tree_growth.h"

namespace speclab::engines {
namespace {

DrawKind draw_kind_of(const DecoderOptions& options) {
  if (options.sampling.temperature == 0) return DrawKind::arg_max;
  const bool is_chain = options.drafter.tree == "chain";
  return is_chain || verifier_traits(options.verifier).samples_independently
             ? DrawKind::sampled
             : DrawKind::sampled_without_replacement;
}

/// Level by level; a chain goes on as far as the limit lets it.
class ShapeGrowth final : public DraftGrowth {
 public:
  explicit ShapeGrowth(const DecoderOptions& options)
      : draw_kind_(draw_kind_of(options)), chance_(chance_of(options)) {
    if (options.drafter.tree == "chain") return;
    const TreeShape shape = TreeShape::parse(options.drafter.tree, 1);
    shape_parents_ = shape.parents();
    shape_depth_ = shape.depth();
  }

  std::int32_t most_read() const override {
    return static_cast<std::int32_t>(shape_parents_.size());
  }

  void grow(NextTokens& next, const Sequence& sequence, const DraftLimit& limit,
            Draft& draft) override {
    draft.reset(sequence.tokens.back(), draw_kind_);
    shape_nodes_.assign(1, 0);
    const std::int32_t asked = std::min(limit.max_length, next.most_levels()),
                       levels = shape_parents_.empty() ? asked : std::min(asked, shape_depth_);
    if (levels == 0 || !next.start(sequence, levels)) return;
    TokenTree::Node level_begin = 0;
    for (std::int32_t depth = 0; depth < levels; ++depth) {
      const TokenTree::Node level_end = draft.tree.size();
      if (depth > 0) next.read(sequence, draft.tree, level_begin);
      for (TokenTree::Node node = level_begin; node < level_end; ++node)
        add_children(next, sequence, node, draft);
      const bool is_last = draft.tree.size() == level_end || depth + 1 == levels;
      if (is_last || is_unsure(next, sequence, limit, draft)) return;
      level_begin = level_end;
    }
  }

 private:
  /// Whether the last token, which stands all the same, is less likely than the policy bears.
  bool is_unsure(NextTokens& next, const Sequence& sequence, const DraftLimit& limit,
                 const Draft& draft) const {
    if (limit.stop_below <= 0.0) return false;
    const TokenTree::Entry& last = draft.tree[draft.tree.size() - 1];
    return next.likelihood({sequence, draft.tree, last.parent}, last.token) < limit.stop_below;
  }

  void add_children(NextTokens& next, const Sequence& sequence, TokenTree::Node node,
                    Draft& draft) {
    children_.clear();
    if (shape_parents_.empty()) children_.push_back(0);
    for (std::size_t i = 0; i < shape_parents_.size(); ++i)
      if (shape_parents_[i] == shape_nodes_[static_cast<std::size_t>(node)])
        children_.push_back(static_cast<int>(i) + 1);
    if (children_.empty() || !next.knows({sequence, draft.tree, node})) return;
    draw_tokens(next, {sequence, draft.tree, node}, draft);
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      draft.add(node, tokens_[i]);
      shape_nodes_.push_back(children_[i]);
    }
  }

  void draw_tokens(NextTokens& next, const DraftPlace& place, Draft& draft) {
    const RoundKey key{place.sequence.id, static_cast<std::uint32_t>(place.sequence.tokens.size()),
                       place.sequence.round};
    const StreamKey first_key = draft_key(key, draft.tree[place.node].depth, draft.tree.size());
    Law& law = draft.law_for(place.node);
    next.law(place, law);
    if (draw_kind_ == DrawKind::arg_max) return take_most_likely(next, place, law.arg_max());
    if (draw_kind_ == DrawKind::sampled_without_replacement)
      return sample_without_replacement(law, children_.size(), first_key, *chance_, scratch_,
                                        tokens_);
    tokens_.clear();
    for (StreamKey key_of_child = first_key; tokens_.size() < children_.size(); ++key_of_child.draw)
      tokens_.push_back(sample(law, key_of_child, *chance_, scratch_));
  }

  void take_most_likely(NextTokens& next, const DraftPlace& place, Token first) {
    tokens_.assign(1, first);
    if (children_.size() == 1) return;
    for (const LawEntry<float>& entry : next.most_likely(place, children_.size()))
      if (entry.token != first && tokens_.size() < children_.size()) tokens_.push_back(entry.token);
  }

  DrawKind draw_kind_;
  std::shared_ptr<Chance> chance_;
  std::vector<int> shape_parents_;  ///< empty for a chain
  std::int32_t shape_depth_ = 0;
  std::vector<int> shape_nodes_;  ///< node of the shape that each drafted node stands for
  std::vector<int> children_;
  std::vector<Token> tokens_;
  std::vector<float> scratch_;
};

}  // namespace

std::unique_ptr<DraftGrowth> make_shape_growth(const DecoderOptions& options) {
  return std::make_unique<ShapeGrowth>(options);
}

}  // namespace speclab::engines
