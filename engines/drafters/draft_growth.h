#pragma once
// How the nodes of a draft are chosen, whatever model says what may follow them.

#include <memory>

#include "engines/drafters/next_tokens.h"

namespace speclab::engines {

class DraftGrowth {
 public:
  virtual ~DraftGrowth() = default;
  /// Nodes that it may have a model read in one draft.
  virtual std::int32_t most_read() const = 0;
  /// Fills a draft behind a sequence.
  virtual void grow(NextTokens& next, const Sequence& sequence, const DraftLimit& limit, Draft& draft) = 0;
};

/// A chain, or a tree of the shape that options.drafter.tree names; its tokens are drawn from the laws, at temperature 0 the most
/// likely ones.
std::unique_ptr<DraftGrowth> make_shape_growth(const DecoderOptions& options);
/// A tree of the most likely tokens, grown best first or as a beam; at every temperature its tokens are certain, not drawn.
std::unique_ptr<DraftGrowth> make_likely_growth(const DecoderOptions& options);

}  // namespace speclab::engines
