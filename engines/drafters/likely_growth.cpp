#include <algorithm>
#include <cmath>

#include "engines/drafters/draft_growth.h"
#include "sim/core/tree_growth.h"

namespace speclab::engines {
namespace {

/// A token that may be drafted. Its score is never above its parent's, which stands before it in the list.
struct Candidate {
  double log_probability;      ///< of the path from the root
  TokenTree::Node parent;      ///< in the tree that was read
  Token token;
  std::int32_t depth;
  TokenTree::Node node = TokenTree::kNone;  ///< in that tree, where it was read
};

/// Waves: the candidates worth following are read in one forward, and their children become candidates. Best first, a wave follows
/// all that are among the best so far, so that the tree is that of a heap which reads one node at a time; a beam follows the best of
/// the last level. In the end the best candidates are the draft.
class LikelyGrowth final : public DraftGrowth {
 public:
  explicit LikelyGrowth(const TreeGrowth& growth) : growth_(growth) {}

  /// Nodes that turn out not to be wanted are read too; beyond these, which few trees reach, no more are followed.
  std::int32_t most_read() const override { return 4 * growth_.nodes; }

  void grow(NextTokens& next, const Sequence& sequence, const DraftLimit& limit, Draft& draft) override {
    draft.reset(sequence.tokens.back(), DrawKind::arg_max);
    if (limit.max_length == 0 || !next.start(sequence, limit.max_length)) return;
    tree_.reset(sequence.tokens.back());
    candidates_.clear();
    add_children(next, {sequence, tree_, 0}, 0.0);
    for (std::size_t wave_begin = 0; choose(wave_begin, limit.max_length); ) {
      wave_begin = candidates_.size();
      const TokenTree::Node first = tree_.size();
      for (const std::size_t i : chosen_) candidates_[i].node = tree_.add(candidates_[i].parent, candidates_[i].token);
      next.read(sequence, tree_, first);
      for (const std::size_t i : chosen_) add_children(next, {sequence, tree_, candidates_[i].node}, candidates_[i].log_probability);
    }
    take_best(next.vocab_size(), draft);
  }

 private:
  void add_children(NextTokens& next, const DraftPlace& place, double log_probability) {
    for (const LawEntry<float>& entry : next.most_likely(place, static_cast<std::size_t>(growth_.children)))
      candidates_.push_back({log_probability + std::log(static_cast<double>(entry.probability)), place.node, entry.token, place.tree[place.node].depth + 1});
  }

  /// The best candidates from `first` on, at most `count`, in the order in which they were found.
  void select_best(std::size_t first, int count) {
    chosen_.clear();
    for (std::size_t i = first; i < candidates_.size(); ++i) chosen_.push_back(i);
    std::ranges::stable_sort(chosen_, std::ranges::greater(), [&](std::size_t i) { return candidates_[i].log_probability; });
    chosen_.resize(std::min(chosen_.size(), static_cast<std::size_t>(count)));
    std::ranges::sort(chosen_);
  }

  /// Which candidates are read next. @return whether there are any
  bool choose(std::size_t wave_begin, std::int32_t max_length) {
    const bool is_beam = growth_.kind == TreeGrowth::Kind::beam;
    select_best(is_beam ? wave_begin : 0, is_beam ? growth_.children : growth_.nodes);
    std::erase_if(chosen_, [&](std::size_t i) { return candidates_[i].node != TokenTree::kNone || candidates_[i].depth >= max_length; });
    chosen_.resize(std::min(chosen_.size(), static_cast<std::size_t>(most_read() - tree_.drafted())));
    return !chosen_.empty();
  }

  void take_best(std::size_t vocab_size, Draft& draft) {
    select_best(0, growth_.nodes);
    draft_nodes_.assign(static_cast<std::size_t>(tree_.size()), 0);
    for (const std::size_t i : chosen_) {
      const Candidate& candidate = candidates_[i];
      const TokenTree::Node parent = draft_nodes_[static_cast<std::size_t>(candidate.parent)];
      if (draft.law_of_node[static_cast<std::size_t>(parent)] < 0) draft.law_for(parent).assign_point_mass(vocab_size, candidate.token);
      const TokenTree::Node node = draft.add(parent, candidate.token);
      if (candidate.node != TokenTree::kNone) draft_nodes_[static_cast<std::size_t>(candidate.node)] = node;
    }
  }

  TreeGrowth growth_;
  TokenTree tree_;  ///< what was read
  std::vector<Candidate> candidates_;
  std::vector<std::size_t> chosen_;
  std::vector<TokenTree::Node> draft_nodes_;  ///< of the read tree's nodes, in the draft
};

}  // namespace

std::unique_ptr<DraftGrowth> make_likely_growth(const DecoderOptions& options) {
  return std::make_unique<LikelyGrowth>(TreeGrowth::parse(options.drafter.tree, 0));
}

}  // namespace speclab::engines
