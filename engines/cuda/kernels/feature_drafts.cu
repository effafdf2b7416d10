// Drafters that read hidden states: the rows behind the path that stands, and what a row fuses.

#include "engines/cuda/kernels.h"
#include "engines/cuda/kernels/device_functions.cuh"
#include "engines/cuda/kernels/launch.cuh"
#include "engines/cuda/kernels/round_functions.cuh"
#include "engines/cuda/kernels/rounds.h"

namespace speclab::engines::cuda {
namespace {

constexpr int kFuseThreads = 128;

/// The sum over the block; the same for every thread.
__device__ float fuse_sum(float value) {
  __shared__ float sums[kFuseThreads / 32];
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (int warp = 0; warp < kFuseThreads / 32; ++warp) sum += sums[warp];
  return sum;
}

/// Thread blocks (row, part): part 0 is the embedding, part p + 1 the state of place p.
__global__ void __launch_bounds__(kFuseThreads)
    fuse_inputs(const ForwardState* state, const FusionInputs f) {
  let_next_kernel_start();
  wait_for_previous_kernel();
  const int m = static_cast<int>(blockIdx.x), part = static_cast<int>(blockIdx.y),
            thread = static_cast<int>(threadIdx.x);
  if (m >= state->num_rows) return;
  const int token = state->rows[m].token;
  const float* states = part == 0 ? nullptr : f.states[part - 1];
  if (states != nullptr) states += static_cast<std::int64_t>(state->states[m]) * f.hidden;
  const auto value = [&](int i) {
    if (part == 0) return from_bfloat16(f.table[packed_index(token, i, f.hidden)]);
    return states == nullptr ? 0.0f : states[i];
  };
  float own = 0.0f;
  for (int i = thread; i < f.hidden; i += kFuseThreads) own += value(i) * value(i);
  const float scale = rsqrtf(fuse_sum(own) / static_cast<float>(f.hidden) + f.epsilon);
  const float* gain = part == 0 ? f.embedding_gain : f.feature_gain + (part - 1) * f.hidden;
  std::uint16_t* out =
      f.fused + (static_cast<std::int64_t>(m) * (1 + f.features) + part) * f.hidden;
  for (int i = thread; i < f.hidden; i += kFuseThreads) {
    out[i] = to_bfloat16(value(i) * scale * gain[i]);
    if (part == 0) f.stream[static_cast<std::int64_t>(m) * f.hidden + i] = 0.0f;
  }
}

/// Node number `i` of the path that stands, the root being number 0.
__device__ int node_of_path(const RoundState& round, int i) {
  return i == 0 ? 0 : round.moves.from[i - 1] - round.moves.first + 1;
}

/// Row i stands at the position of the token before its own, whose state is beside it.
__global__ void begin_feature_round(RoundState* round, ForwardState* draft, const HostDraft* host) {
  wait_for_previous_kernel();
  open_round(*round, host);
  const int i = static_cast<int>(threadIdx.x), accepted = round->moves.count,
            end = round->length - round->draft_shift, position = end - 1 - accepted + i;
  if (i <= accepted) {
    draft->rows[i] =
        chain_row(i == accepted ? round->pending : round->drafted[node_of_path(*round, i + 1) - 1],
                  position, round->draft_slot);
    draft->states[i] = node_of_path(*round, i);
  }
  if (i == 0) set_rows(*draft, accepted + 1, round->draft_slot, end, false);
}

}  // namespace

void launch_fuse_inputs(const ForwardState* state, const FusionInputs& inputs, int rows,
                        const LaunchContext& context) {
  launch(Start::in_turn, fuse_inputs,
         dim3(static_cast<unsigned>(rows), static_cast<unsigned>(1 + inputs.features)),
         kFuseThreads, 0, context, state, inputs);
}

void launch_begin_feature_round(RoundState* round, ForwardState* draft, const HostDraft* host,
                                const LaunchContext& context) {
  launch(Start::in_turn, begin_feature_round, dim3(1), kMaxRows, 0, context, round, draft, host);
}

}  // namespace speclab::engines::cuda
