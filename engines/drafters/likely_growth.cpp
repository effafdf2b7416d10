#include <algorithm>
#include <cmath>

#include "engines/drafters/next_tokens.h"
#include "sim/core/tree_growth.h"

namespace speclab::engines {
namespace {

/// A token that may be drafted.
struct Candidate {
  double log_probability;  ///< of the path from the root, never above its parent's
  TokenTree::Node parent;  ///< in the tree that was read
  Token token;
  std::int32_t depth;
  TokenTree::Node node = TokenTree::kNone;  ///< in that tree, where it was read
};

/// Waves: the candidates worth following are read in one forward, and their children become
/// candidates. Only the `nodes` best of all are kept, for what is worse can never be drafted, and
/// so are its descendants; those not yet read are therefore always of the last level. Best first, a
/// wave follows all of them: the tree is that of a heap which reads one node at a time. A beam
/// follows the best few. Of suffixes all is read, and what leads to none of the best is left out in
/// the end. Ties go to the shallower node, then to the one found first.
class LikelyGrowth final : public DraftGrowth {
 public:
  explicit LikelyGrowth(const TreeGrowth& growth) : growth_(growth) {}

  /// Wave w reads at most nodes - w + 1; where that is much, the least likely are not followed,
  /// which few trees meet. Suffixes are all read.
  std::int32_t most_read() const override {
    return std::max(growth_.nodes_before_choice,
                    std::min(growth_.nodes * (growth_.nodes + 1) / 2, 4 * growth_.nodes));
  }

  void grow(NextTokens& next, const Sequence& sequence, const DraftLimit& limit,
            Draft& draft) override {
    draft.reset(sequence.tokens.back(), DrawKind::arg_max);
    const std::int32_t levels =
        std::min({limit.max_length, next.most_levels(), growth_.max_depth()});
    if (levels == 0 || !next.start(sequence, levels)) return;
    tree_.reset(sequence.tokens.back());
    best_.clear();
    most_kept_ = most_kept(limit);
    add_children(next, {sequence, tree_, 0}, 0.0);
    for (keep_best(); choose(levels); keep_best()) read_chosen(next, sequence);
    if (growth_.kind == TreeGrowth::Kind::suffixes) keep_suffixes();
    copy_best(next.vocab_size(), draft);
  }

 private:
  std::size_t most_kept(const DraftLimit& limit) const {
    if (growth_.kind == TreeGrowth::Kind::suffixes)
      return static_cast<std::size_t>(growth_.nodes_before_choice);
    return static_cast<std::size_t>(growth_.is_adaptive ? std::min(growth_.nodes, limit.max_length)
                                                        : growth_.nodes);
  }

  void add_children(NextTokens& next, const DraftPlace& place, double log_probability) {
    if (!next.knows(place)) return;
    const std::int32_t level = place.tree[place.node].depth;
    for (const LawEntry<float>& entry :
         next.most_likely(place, static_cast<std::size_t>(growth_.children_at(level))))
      best_.push_back(
          {log_probability + std::min(0.0, std::log(static_cast<double>(entry.probability))),
           place.node, entry.token, level + 1});
  }

  /// Best first; what was kept before stands before new candidates as likely, so a parent before
  /// its children.
  void keep_best() {
    std::ranges::stable_sort(best_, std::ranges::greater(), &Candidate::log_probability);
    best_.resize(std::min(best_.size(), most_kept_));
  }

  /// Which candidates are read next. @return whether there are any
  bool choose(std::int32_t max_length) {
    chosen_.clear();
    const auto room = static_cast<std::size_t>(most_read() - tree_.drafted());
    const std::size_t most =
        growth_.kind == TreeGrowth::Kind::beam
            ? std::min(room, static_cast<std::size_t>(growth_.children_at(last_depth())))
            : room;
    for (std::size_t i = 0; i < best_.size() && chosen_.size() < most; ++i)
      if (best_[i].node == TokenTree::kNone && best_[i].depth < max_length &&
          best_[i].depth == last_depth())
        chosen_.push_back(i);
    return !chosen_.empty();
  }

  /// The level whose nodes were found last.
  std::int32_t last_depth() const { return tree_[tree_.size() - 1].depth + 1; }

  void read_chosen(NextTokens& next, const Sequence& sequence) {
    const TokenTree::Node first = tree_.size();
    for (const std::size_t i : chosen_) best_[i].node = tree_.add(best_[i].parent, best_[i].token);
    next.read(sequence, tree_, first);
    for (const std::size_t i : chosen_)
      add_children(next, {sequence, tree_, best_[i].node}, best_[i].log_probability);
  }

  /// Leaves the best ends, which no candidate follows, and the way to them.
  void keep_suffixes() {
    std::vector<bool> leads_on(static_cast<std::size_t>(tree_.size())), is_kept(leads_on.size());
    for (const Candidate& candidate : best_)
      leads_on[static_cast<std::size_t>(candidate.parent)] = true;
    const auto is_end = [&](const Candidate& candidate) {
      return candidate.node == TokenTree::kNone ||
             !leads_on[static_cast<std::size_t>(candidate.node)];
    };
    int left = growth_.suffixes;
    std::erase_if(best_,
                  [&](const Candidate& candidate) { return is_end(candidate) && left-- <= 0; });
    for (const Candidate& candidate : best_)
      for (TokenTree::Node node = is_end(candidate) ? candidate.parent : 0; node > 0;
           node = tree_[node].parent)
        is_kept[static_cast<std::size_t>(node)] = true;
    std::erase_if(best_, [&](const Candidate& candidate) {
      return !is_end(candidate) && !is_kept[static_cast<std::size_t>(candidate.node)];
    });
  }

  void copy_best(std::size_t vocab_size, Draft& draft) {
    draft_nodes_.assign(static_cast<std::size_t>(tree_.size()), TokenTree::kNone);
    draft_nodes_[0] = 0;
    for (const Candidate& candidate : best_) {
      const TokenTree::Node parent = draft_nodes_[static_cast<std::size_t>(candidate.parent)];
      if (draft.law_of_node[static_cast<std::size_t>(parent)] < 0)
        draft.law_for(parent).assign_point_mass(vocab_size, candidate.token);
      const TokenTree::Node node = draft.add(parent, candidate.token);
      if (candidate.node != TokenTree::kNone)
        draft_nodes_[static_cast<std::size_t>(candidate.node)] = node;
    }
  }

  TreeGrowth growth_;
  TokenTree tree_;  ///< what was read
  std::vector<Candidate> best_;
  std::size_t most_kept_ = 0;  ///< of them
  std::vector<std::size_t> chosen_;
  std::vector<TokenTree::Node> draft_nodes_;  ///< of the read tree's nodes, in the draft
};

}  // namespace

std::unique_ptr<DraftGrowth> make_likely_growth(const DecoderOptions& options) {
  return std::make_unique<LikelyGrowth>(TreeGrowth::parse(options.drafter.tree, 0));
}

}  // namespace speclab::engines
