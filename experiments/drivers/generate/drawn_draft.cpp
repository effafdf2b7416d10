#include "experiments/drivers/generate/drawn_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/system/json_text.h"

namespace speclab::experiments {
namespace {

using analysis::DraftedRound;
using analysis::DraftNode;

void draw_children(const DraftedRound& round, std::size_t parent, const std::string& indent,
                   std::string& out) {
  std::vector<std::size_t> children;
  for (std::size_t node = parent + 1; node < round.nodes.size(); ++node)
    if (round.nodes[node].parent == static_cast<std::int64_t>(parent)) children.push_back(node);
  for (const std::size_t child : children) {
    const bool is_last = child == children.back();
    const DraftNode& node = round.nodes[child];
    out += fmt::format(
        "{}{} {}  {}p {:.3f}{}\n", indent, is_last ? "└─" : "├─", node.token,
        node.draft_probability ? fmt::format("q {:.3f}, ", *node.draft_probability) : "",
        node.target_probability, node.is_accepted ? "  accepted" : "");
    draw_children(round, child, indent + (is_last ? "   " : "│  "), out);
  }
}

}  // namespace

DrawnDraft::DrawnDraft(const engines::Tokenizer* tokenizer, const Draft& draft,
                       const TargetLaws<float>& target_laws)
    : tokenizer_(tokenizer),
      tree_(draft.tree),
      probabilities_(static_cast<std::size_t>(tree_.size()), {{}, 1.0}) {
  for (TokenTree::Node parent = 0; parent < tree_.size(); ++parent) {
    if (draft.law_of_node[static_cast<std::size_t>(parent)] < 0) continue;
    const Law& target = target_laws(parent);
    for (TokenTree::Node node = parent + 1; node < tree_.size(); ++node) {
      if (tree_[node].parent != parent) continue;
      const Token token = tree_[node].token;
      Probabilities& of_node = probabilities_[static_cast<std::size_t>(node)];
      of_node.target = static_cast<double>(target[token]);
      if (draft.draw_kind != DrawKind::arg_max)
        of_node.draft = static_cast<double>(draft.law_at(parent)[token]);
    }
  }
}

DraftedRound DrawnDraft::round(const RoundRecord& round, std::span<const Token> emitted) const {
  const bool is_cut = emitted.empty() || emitted.size() <= static_cast<std::size_t>(round.accepted);
  DraftedRound drawn{.round = round.round,
                     .accepted = round.accepted,
                     .next = is_cut ? "" : name_of(emitted.back()),
                     .next_kind = round.next_kind};
  if (round.drafted == 0) return drawn;
  const std::vector<bool> accepted = accepted_nodes(round, emitted);
  for (TokenTree::Node node = 0; node < tree_.size(); ++node) {
    const auto at = static_cast<std::size_t>(node);
    drawn.nodes.push_back({.parent = std::max(0, tree_[node].parent),
                           .token = name_of(tree_[node].token),
                           .draft_probability = probabilities_[at].draft,
                           .target_probability = probabilities_[at].target,
                           .is_accepted = accepted[at]});
  }
  return drawn;
}

/// Nodes of the accepted path; siblings with the same token, which share a row of the forward, are
/// accepted together.
std::vector<bool> DrawnDraft::accepted_nodes(const RoundRecord& round,
                                             std::span<const Token> emitted) const {
  std::vector<bool> accepted(static_cast<std::size_t>(tree_.size()), false);
  accepted[0] = true;
  const std::span<const Token> path =
      emitted.first(std::min(emitted.size(), static_cast<std::size_t>(round.accepted)));
  for (TokenTree::Node node = 1; node < tree_.size(); ++node) {
    const auto depth = static_cast<std::size_t>(tree_[node].depth);
    accepted[static_cast<std::size_t>(node)] =
        depth <= path.size() && accepted[static_cast<std::size_t>(tree_[node].parent)] &&
        tree_[node].token == path[depth - 1];
  }
  return accepted;
}

std::string DrawnDraft::name_of(Token token) const {
  if (tokenizer_ == nullptr) return std::to_string(token);
  return json_text(nlohmann::json(tokenizer_->decode({&token, 1})));
}

std::string text_of(const DraftedRound& round) {
  if (round.nodes.empty())
    return fmt::format("round {}: nothing drafted{}\n", round.round + 1,
                       round.next.empty() ? "" : ", then " + round.next);
  std::string text = fmt::format(
      "round {}: {} drafted, {} accepted{}\n{}\n", round.round + 1, round.nodes.size() - 1,
      round.accepted,
      round.next.empty() ? ""
                         : fmt::format(", then {} ({})", round.next, to_string(round.next_kind)),
      round.nodes.front().token);
  draw_children(round, 0, "", text);
  return text;
}

}  // namespace speclab::experiments
