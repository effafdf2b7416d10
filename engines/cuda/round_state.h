#pragma once
// A sequence that is decoded on the device, round by round, and what the host learns of each round.

#include <cstdint>

#include "engines/cuda/forward_state.h"

namespace speclab::engines::cuda {

inline constexpr int kMaxDraftLength = kMaxRows - 1;

/// Lives on the device; every round moves it on.
struct RoundState {
  std::int32_t length;             ///< tokens of the sequence; the last one is pending
  std::int32_t previous, pending;  ///< its last two tokens
  std::int32_t target_slot, draft_slot;
  std::uint32_t sequence, round, serial;
  std::uint64_t seed;
  float inverse_temperature;       ///< 0: arg max
  std::int32_t drafted[kMaxDraftLength];
  std::int32_t best[kMaxRows];     ///< arg max after each row of the target
  std::int32_t is_damaged;         ///< whether a logit was no finite number
  std::uint64_t times[3];          ///< nanoseconds of the device: begun, drafted, target's pass done
};

/// What the round's last kernel writes into pinned memory; `serial` last.
struct RoundResult {
  std::int32_t accepted, next;     ///< drafted tokens that stand, and the token behind them
  std::int32_t is_damaged;
  std::int32_t drafted[kMaxDraftLength];
  std::uint64_t times[4];          ///< RoundState's and the end
  std::uint32_t serial;
};

/// What a pass left for those that choose tokens.
struct PassOutput {
  const float* logits;             ///< [rows, vocab]
  const struct BestLogit* best;    ///< [rows, blocks]
  std::int32_t blocks;
};

/// Probabilities of one law as exponentials and their common factor.
struct DeviceLaws {
  float* exponentials;             ///< [laws, vocab]
  double* sums;                    ///< [laws]
  std::int32_t vocab;
};

}  // namespace speclab::engines::cuda
