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

/// Arg max of a row that wanted logits; notes it where it is no finite number.
__device__ inline BestLogit likeliest_of(const PassOutput& output, int row, RoundState& round,
                                         BlockShared& shared) {
  const BestLogit likeliest = block_best(
      output.best + static_cast<std::int64_t>(row) * output.blocks, output.blocks, shared);
  if (threadIdx.x == 0 && !(fabsf(likeliest.value) < CUDART_INF_F)) round.is_damaged = 1;
  return likeliest;
}

/// A row's law becomes number `index` of `laws`. @return the sum of its exponentials
__device__ inline double leave_law(const float* logits, float largest, float inverse_temperature,
                                   const DeviceLaws& laws, int index, BlockShared& shared) {
  float* law = laws.exponentials + static_cast<std::int64_t>(index) * laws.vocab;
  const double total =
      block_exponentials(logits, laws.vocab, largest, inverse_temperature, law, shared);
  if (threadIdx.x == 0) laws.sums[index] = total;
  return total;
}

/// What the host says of the round in hand. All threads of a block of kMaxRows call it.
__device__ inline void take_from_host(RoundState& round, const HostDraft& host) {
  const int i = static_cast<int>(threadIdx.x), copied = host.copied.count;
  if (i < copied) {
    round.copied.tokens[i] = host.copied.tokens[i];
    round.copied.shares[i] = host.copied.shares[i];
  }
  if (i != 0) return;
  round.copied.count = copied;
  round.tree.is_copy[0] = 1;
  round.forced = host.forced;
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
