#pragma once
#include <vector>

#include "engines/interface/sampling_options.h"
#include "sim/core/token_tree.h"

namespace speclab::engines {

/// What the repetition penalty counts at a node: the sequence so far and the drafted path to the node. Left empty where no
/// processor looks at it.
inline void collect_history(const SamplingOptions& options, const std::vector<Token>& tokens, const TokenTree& tree,
                            TokenTree::Node node, std::vector<Token>& history) {
  history.clear();
  if (options.repetition_penalty == 1.0) return;
  history = tokens;
  for (; node > 0; node = tree[node].parent) history.push_back(tree[node].token);
}

}  // namespace speclab::engines
