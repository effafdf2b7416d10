#pragma once
#include <algorithm>
#include <vector>

#include "engines/interface/sampling_options.h"
#include "sim/core/token_tree.h"

namespace speclab::engines {

/// What the processors that look back see at a node: the sequence so far and the drafted path to
/// the node. Left empty where none does.
inline void collect_history(const SamplingOptions& options, const std::vector<Token>& tokens,
                            const TokenTree& tree, TokenTree::Node node,
                            std::vector<Token>& history) {
  history.clear();
  if (!options.looks_back()) return;
  for (; node > 0; node = tree[node].parent) history.push_back(tree[node].token);
  std::reverse(history.begin(), history.end());
  history.insert(history.begin(), tokens.begin(), tokens.end());
}

}  // namespace speclab::engines
