#include "experiments/drivers/generate/drawn_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace speclab::experiments {
namespace {

const char* next_kind_text(NextKind kind) { return kind == NextKind::bonus ? "bonus" : "recovered"; }

}  // namespace

void DrawnDraft::keep(const Draft& draft, const TargetLaws<float>& target_laws) {
  tree_ = draft.tree;
  probabilities_.assign(static_cast<std::size_t>(tree_.size()), {{}, 1.0});
  for (TokenTree::Node parent = 0; parent < tree_.size(); ++parent) {
    if (draft.law_of_node[static_cast<std::size_t>(parent)] < 0) continue;
    const Law& target = target_laws(parent);
    for (TokenTree::Node node = parent + 1; node < tree_.size(); ++node) {
      if (tree_[node].parent != parent) continue;
      const Token token = tree_[node].token;
      Probabilities& of_node = probabilities_[static_cast<std::size_t>(node)];
      of_node.target = static_cast<double>(target[token]);
      if (draft.draw_kind != DrawKind::arg_max) of_node.draft = static_cast<double>(draft.law_at(parent)[token]);
    }
  }
}

std::string DrawnDraft::text(const RoundRecord& round, std::span<const Token> emitted) const {
  if (round.drafted == 0) return fmt::format("round {}: nothing drafted{}\n", round.round, emitted.empty() ? "" : ", then " + name_of(emitted.back()));
  const bool is_cut = emitted.size() <= static_cast<std::size_t>(round.accepted);
  std::string text = fmt::format("round {}: {} drafted, {} accepted{}\n{}\n", round.round, round.drafted, round.accepted,
                                 is_cut ? "" : fmt::format(", then {} ({})", name_of(emitted.back()), next_kind_text(round.next_kind)), name_of(tree_[0].token));
  draw_children(0, "", accepted_nodes(round, emitted), text);
  return text;
}

/// Nodes of the accepted path; siblings with the same token, which share a row of the forward, are accepted together.
std::vector<bool> DrawnDraft::accepted_nodes(const RoundRecord& round, std::span<const Token> emitted) const {
  std::vector<bool> accepted(static_cast<std::size_t>(tree_.size()), false);
  accepted[0] = true;
  const std::span<const Token> path = emitted.first(std::min(emitted.size(), static_cast<std::size_t>(round.accepted)));
  for (TokenTree::Node node = 1; node < tree_.size(); ++node) {
    const auto depth = static_cast<std::size_t>(tree_[node].depth);
    accepted[static_cast<std::size_t>(node)] = depth <= path.size() && accepted[static_cast<std::size_t>(tree_[node].parent)] && tree_[node].token == path[depth - 1];
  }
  return accepted;
}

void DrawnDraft::draw_children(TokenTree::Node parent, const std::string& indent, const std::vector<bool>& accepted, std::string& out) const {
  std::vector<TokenTree::Node> children;
  tree_.children(parent, children);
  for (const TokenTree::Node child : children) {
    const bool is_last = child == children.back();
    const auto at = static_cast<std::size_t>(child);
    const Probabilities& of_child = probabilities_[at];
    out += fmt::format("{}{} {}  {}p {:.3f}{}\n", indent, is_last ? "└─" : "├─", name_of(tree_[child].token),
                       of_child.draft ? fmt::format("q {:.3f}, ", *of_child.draft) : "", of_child.target, accepted[at] ? "  accepted" : "");
    draw_children(child, indent + (is_last ? "   " : "│  "), accepted, out);
  }
}

std::string DrawnDraft::name_of(Token token) const {
  if (tokenizer_ == nullptr) return std::to_string(token);
  return nlohmann::json(tokenizer_->decode({&token, 1})).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace speclab::experiments
