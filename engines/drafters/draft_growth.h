#pragma once
// How the nodes of a draft are chosen, whatever model says what may follow them.

#include <memory>
#include <string>

#include "engines/drafters/next_tokens.h"
#include "engines/interface/round_decoder.h"

namespace speclab::engines {

class DraftGrowth {
 public:
  virtual ~DraftGrowth() = default;
  /// Nodes that it may have a model read in one draft, beyond as many as are still wanted.
  virtual std::int32_t most_read() const = 0;
  /// Fills a draft behind a sequence.
  virtual void grow(NextTokens& next, const Sequence& sequence, const DraftLimit& limit,
                    Draft& draft) = 0;
};

/// A chain, or a tree of the shape that options.drafter.tree names; its tokens are drawn from the
/// laws. At temperature 0, where a law has one token, the most likely others stand behind it.
std::unique_ptr<DraftGrowth> make_shape_growth(const DecoderOptions& options);
/// A tree of the most likely tokens, grown best first, as a beam or of the best suffixes; at every
/// temperature its tokens are certain, not drawn.
std::unique_ptr<DraftGrowth> make_likely_growth(const DecoderOptions& options);

/// A drafter that lets what options.drafter.tree says grow from what may follow. @param name  of
/// the kind
std::unique_ptr<Drafter> make_growing_drafter(std::unique_ptr<NextTokens> next_tokens,
                                              const std::string& name,
                                              const DecoderOptions& options);

}  // namespace speclab::engines
