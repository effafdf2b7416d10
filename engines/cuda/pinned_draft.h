#pragma once
// Drafts of the host on their way to the device.

#include "engines/cuda/device_memory.h"
#include "engines/cuda/round_state.h"
#include "sim/core/draft.h"

namespace speclab::engines::cuda {

/// Nodes of a draft, the root included, and its levels.
struct DraftSize {
  std::int32_t rows = 1, levels = 0;
  bool is_chain() const { return rows == levels + 1; }
};

/// The pinned memory that a round's first kernel reads. The host may write it again once the round
/// has ended.
class PinnedDraft {
 public:
  PinnedDraft();

  HostDraft* data() const { return draft_.data(); }
  /// What the next round's drafter mixes with its own laws; at most kMaxDraftLength tokens.
  void copy(std::span<const Token> tokens, std::span<const double> shares);
  /// @param draft  level by level and siblings adjacent, its laws no dense ones, its siblings drawn
  /// without replacement @param most_rows  room of the rounds, at most kMaxRows; a larger draft is
  /// a ContractError
  DraftSize fill(const Draft& draft, std::int32_t most_rows);

 private:
  void put_law(const Law& law, HostNode& node);

  PinnedArray<HostDraft> draft_;
  PinnedArray<HostLawEntry> entries_;
  std::size_t entries_used_ = 0;
};

}  // namespace speclab::engines::cuda
