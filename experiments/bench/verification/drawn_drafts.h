#pragma once
// Made-up logits of a target and of a drafter, and drafts drawn from them, for benchmarks of
// verification.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/draft.h"

namespace speclab::bench {

inline constexpr int kDraftLength = 4;  ///< drafted tokens

/// Logits like a model's, and those of a drafter that half agrees; [rows, vocab].
struct Logits {
  std::vector<std::vector<float>> target, draft;

  /// @param rows  one a node of a draft, its root too
  explicit Logits(std::size_t vocab_size, std::uint32_t rows = kDraftLength + 1);
};

/// Four drafts each: one after the other, and two chains of two.
struct DraftShape {
  const char *name, *tree;
};
inline constexpr DraftShape kChain{"chain", "4"}, kTwoChains{"two_chains", "parents:0,0,1,2"};

/// Siblings are drawn as the rule needs them. @param position  of the random streams
Draft draw_draft(const Logits& logits, const std::string& verifier, const DraftShape& shape,
                 std::uint32_t position);

}  // namespace speclab::bench
