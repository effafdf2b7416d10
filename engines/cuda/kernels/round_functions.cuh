#pragma once
// What rounds of chains and of trees share: rows, laws, draws and what the host is told.

#include "engines/cuda/kernels/block_functions.cuh"
#include "engines/cuda/philox.h"
#include "engines/cuda/round_state.h"

namespace speclab::engines::cuda {

/// A row of a chain, which sees all slots before its own.
__device__ inline DeviceRow chain_row(std::int32_t token, std::int32_t position,
                                      std::int32_t slot) {
  return {token, position, slot, position, position + 1, position, 0};
}

/// Rows [0, count) of one sequence, of which all want logits or the last one.
__device__ inline void set_rows(ForwardState& state, int count, std::int32_t slot, int end,
                                bool all_want) {
  state.num_rows = count;
  state.num_groups = 1;
  state.groups[0] = {0, count, slot, end, end - count};
  state.num_wanting = all_want ? count : 1;
  for (int i = 0; i < state.num_wanting; ++i) state.wanting[i] = all_want ? i : count - 1;
}

/// For a draw of `purpose` that belongs to a node; `depth` is that of the law that is drawn from.
/// As node_key of sim/core/rng_stream.h.
__device__ inline double node_uniform(const RoundState& round, int depth, std::uint32_t purpose,
                                      int node) {
  return philox_uniform(round.seed, round.sequence,
                        static_cast<std::uint32_t>(round.length + depth), purpose,
                        round.round << kNodeBits | static_cast<std::uint32_t>(node));
}

/// For the target's own token behind `depth` of this round's. As target_key there.
__device__ inline double target_uniform(const RoundState& round, int depth) {
  return philox_uniform(round.seed, round.sequence,
                        static_cast<std::uint32_t>(round.length + depth), kTargetDraw, 0);
}

/// One law of several, normalised in float as on the host.
struct LawView {
  const float* exponentials;
  float scale;
  __device__ LawView(const float* weights, double sum)
      : exponentials(weights), scale(static_cast<float>(1.0 / sum)) {}
  __device__ LawView(const DeviceLaws& laws, int index)
      : LawView(laws.exponentials + static_cast<std::int64_t>(index) * laws.vocab,
                laws.sums[index]) {}
  __device__ float operator()(int token) const { return exponentials[token] * scale; }
};

/// The logits of a row of the whole vocabulary.
struct WholeRow {
  const float* logits;
  __device__ float operator()(int token) const { return logits[token]; }
};

/// The logits of a row of a draft vocabulary; minus infinity where a token has none.
struct DraftRow {
  const float* logits;
  const std::int32_t* rows;
  __device__ float operator()(int token) const {
    const std::int32_t row = rows[token];
    return row < 0 ? -CUDART_INF_F : logits[row];
  }
};

/// Arg max of a row that wanted logits; notes it where it is no finite number.
__device__ inline BestLogit likeliest_of(const PassOutput& output, int row, RoundState& round,
                                         BlockShared& shared) {
  BestLogit likeliest = block_best(output.best + static_cast<std::int64_t>(row) * output.blocks,
                                   output.blocks, shared);
  if (output.tokens != nullptr) likeliest.token = output.tokens[likeliest.token];
  if (threadIdx.x == 0 && !(fabsf(likeliest.value) < CUDART_INF_F)) round.is_damaged = 1;
  return likeliest;
}

/// The law of a row of the pass, whose best logit is `largest`, becomes number `index` of `laws`.
/// One of a draft vocabulary has the bits that its logits spread over all tokens would give.
/// @return the sum of its exponentials
__device__ inline double leave_law(const PassOutput& output, int row, float largest,
                                   float inverse_temperature, const DeviceLaws& laws, int index,
                                   BlockShared& shared) {
  const bool is_whole = output.rows == nullptr;
  const float* logits =
      output.logits + static_cast<std::int64_t>(row) * (is_whole ? laws.vocab : output.size);
  float* law = laws.exponentials + static_cast<std::int64_t>(index) * laws.vocab;
  const double total = is_whole ? block_exponentials(WholeRow{logits}, laws.vocab, largest,
                                                     inverse_temperature, law, shared)
                                : block_exponentials(DraftRow{logits, output.rows}, laws.vocab,
                                                     largest, inverse_temperature, law, shared);
  if (threadIdx.x == 0) laws.sums[index] = total;
  return total;
}

__device__ inline void take_copied(RoundState& round, const CopiedTokens& copied) {
  const int i = static_cast<int>(threadIdx.x), count = copied.count;
  if (i < count) {
    round.copied.tokens[i] = copied.tokens[i];
    round.copied.shares[i] = copied.shares[i];
  }
  if (i != 0) return;
  round.copied.count = count;
  round.tree.is_copy[0] = 1;
}

/// A round that the device drafts begins. All threads of a block of kMaxRows call it.
/// @param host  null where nothing is copied: a read of pinned memory delays the round
__device__ inline void open_round(RoundState& round, const HostDraft* host) {
  if (host != nullptr) take_copied(round, host->copied);
  if (threadIdx.x != 0) return;
  round.times[0] = device_nanoseconds();
  ++round.serial;
}

/// The sequence as it stands after the round. @param last  the token before outcome.next
__device__ inline void move_on(RoundState& round, const RoundOutcome& outcome, std::int32_t last) {
  round.outcome = outcome;
  round.previous = last;
  round.pending = outcome.next;
  round.length += outcome.accepted + 1;
  ++round.round;
}

/// @param token  token(i): the one that stands in place i
template <typename Token>
__device__ void tell_host(const RoundState& round, const Token& token, RoundResult* result) {
  result->outcome = round.outcome;
  result->is_damaged = round.is_damaged;
  for (int i = 0; i < round.outcome.accepted; ++i) result->tokens[i] = token(i);
  for (int i = 0; i < 3; ++i) result->times[i] = round.times[i];
  result->times[3] = device_nanoseconds();
  write_to_host_last(&result->serial, round.serial);
}

}  // namespace speclab::engines::cuda
