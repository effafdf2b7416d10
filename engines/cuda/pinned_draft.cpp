#include "engines/cuda/pinned_draft.h"

#include <algorithm>
#include <bit>

#include "sim/rules/rejection.h"
#include "sim/system/errors.h"

namespace speclab::engines::cuda {
namespace {

/// Adds a node behind those before it. @return its depth
std::int32_t put_node(const TokenTree& tree, TokenTree::Node number, HostDraft& host) {
  const TokenTree::Entry& from = tree[number];
  HostNode &node = host.nodes[number], &parent = host.nodes[from.parent];
  SPECLAB_EXPECT(
      from.depth >= host.nodes[number - 1].depth &&
          (parent.num_children == 0 || parent.first_child + parent.num_children == number),
      "a draft for the device goes level by level, with siblings adjacent");
  if (parent.num_children++ == 0) parent.first_child = number;
  node.token = from.token;
  node.depth = from.depth;
  node.ancestors = parent.ancestors | std::uint64_t{1} << number;
  return node.depth;
}

/// Of the law of a node's parent without the siblings before it.
double untaken_mass(const Draft& draft, TokenTree::Node node) {
  if (draft.draw_kind != DrawKind::sampled_without_replacement) return 1.0;
  const Law& law = draft.law_at(draft.tree[node].parent);
  return 1.0 / draft_odds(draft, node, law.vocab_size()).scale;
}

}  // namespace

PinnedDraft::PinnedDraft() : draft_(1) { *draft_.data() = {}; }

void PinnedDraft::copy(std::span<const Token> tokens, std::span<const double> shares) {
  SPECLAB_EXPECT(tokens.size() <= kMaxDraftLength && tokens.size() == shares.size(),
                 "a share a copied token, and no more of them than a draft has");
  CopiedTokens& copied = draft_.data()->copied;
  copied.count = static_cast<std::int32_t>(tokens.size());
  std::ranges::copy(tokens, copied.tokens);
  std::ranges::copy(shares, copied.shares);
}

DraftSize PinnedDraft::fill(const Draft& draft, std::int32_t most_rows) {
  SPECLAB_EXPECT(draft.tree.size() <= most_rows, "a draft larger than the rounds were made for");
  HostDraft& host = *draft_.data();
  host = {};
  host.rows = draft.tree.size();
  host.nodes[0].ancestors = 1;
  DraftSize size{host.rows, 0};
  entries_used_ = 0;
  for (TokenTree::Node node = 0; node < host.rows; ++node) {
    if (node > 0) {
      size.levels = put_node(draft.tree, node, host);
      host.nodes[node].mass = untaken_mass(draft, node);
    }
    if (draft.law_of_node[static_cast<std::size_t>(node)] >= 0)
      put_law(draft.law_at(node), host.nodes[node]);
  }
  host.entries = entries_.data();
  return size;
}

void PinnedDraft::put_law(const Law& law, HostNode& node) {
  const std::span<const LawEntry<float>> values = law.entries();
  const std::size_t needed = entries_used_ + values.size();
  if (needed > entries_.size()) {
    PinnedArray<HostLawEntry> larger(std::bit_ceil(needed));
    std::copy_n(entries_.data(), entries_used_, larger.data());
    entries_ = std::move(larger);
  }
  node.law_begin = static_cast<std::int32_t>(entries_used_);
  std::ranges::transform(values, entries_.data() + entries_used_, [](const LawEntry<float>& entry) {
    return HostLawEntry{entry.token, entry.probability};
  });
  entries_used_ = needed;
  node.law_end = static_cast<std::int32_t>(needed);
}

}  // namespace speclab::engines::cuda
