#pragma once
#include "engines/drafters/draft_model.h"

namespace speclab::engines::testing {

/// Logits over the whole vocabulary after a chain that the model drafts behind a sequence; valid
/// until its next call.
inline std::span<const float> logits_after_chain(DraftModel& model, const Sequence& sequence,
                                                 const std::vector<Token>& drafted) {
  TokenTree tree;
  tree.reset(sequence.tokens.back());
  std::span<const float> logits = model.read_emitted(sequence);
  TokenTree::Node node = 0;
  for (const Token token : drafted) {
    node = tree.add(node, token);
    logits = model.over_vocabulary(model.read_level(sequence, tree, node).row(0));
  }
  return logits;
}

}  // namespace speclab::engines::testing
