#include "engines/cuda/kernels/rounds.h"

#include "engines/cuda/kernels/block_functions.cuh"
#include "engines/cuda/kernels/launch.cuh"
#include "engines/cuda/philox.h"

namespace speclab::engines::cuda {
namespace {

__device__ DeviceRow chain_row(std::int32_t token, std::int32_t position, std::int32_t slot) {
  return {token, position, slot, position, position + 1, position, 0};
}

/// Rows [0, count) of one sequence; the last one wants logits.
__device__ void set_rows(ForwardState& state, int count, std::int32_t slot, int end, bool all_want) {
  state.num_rows = count;
  state.num_groups = 1;
  state.groups[0] = {0, count, slot, end, end - count};
  state.num_wanting = all_want ? count : 1;
  for (int i = 0; i < state.num_wanting; ++i) state.wanting[i] = all_want ? i : count - 1;
}

__device__ void note_damage(RoundState& round, float largest) {
  if (!(fabsf(largest) < CUDART_INF_F)) round.is_damaged = 1;
}

__global__ void begin_round(RoundState* round, ForwardState* draft) {
  wait_for_previous_kernel();
  round->times[0] = device_nanoseconds();
  ++round->serial;
  const int last = round->length - 1, rows = last > 0 ? 2 : 1;
  if (rows == 2) draft->rows[0] = chain_row(round->previous, last - 1, round->draft_slot);
  draft->rows[rows - 1] = chain_row(round->pending, last, round->draft_slot);
  set_rows(*draft, rows, round->draft_slot, last + 1, false);
}

__global__ void __launch_bounds__(kBlockThreads, 1) choose_draft(RoundState* round, ForwardState* draft, int index, const PassOutput output, const DeviceLaws laws) {
  __shared__ BlockShared shared;
  wait_for_previous_kernel();
  const BestLogit likeliest = block_best(output.best, output.blocks, shared);
  if (threadIdx.x == 0) note_damage(*round, likeliest.value);
  std::int32_t token = likeliest.token;
  if (round->inverse_temperature > 0.0f) {
    float* law = laws.exponentials + static_cast<std::int64_t>(index) * laws.vocab;
    const double total = block_exponentials(output.logits, laws.vocab, likeliest.value, round->inverse_temperature, law, shared);
    const double uniform = philox_uniform(round->seed, round->sequence, static_cast<std::uint32_t>(round->length + index), kDraftDraw,
                                          round->round << kNodeBits | static_cast<std::uint32_t>(index + 1));
    const float scale = static_cast<float>(1.0 / total);
    token = block_categorical(laws.vocab, uniform, [&](int i) { return law[i] * scale; }, shared);
    if (threadIdx.x == 0) laws.sums[index] = total;
  }
  if (threadIdx.x != 0) return;
  if (token >= laws.vocab) token = 0;  // of damaged logits, which are noted
  round->drafted[index] = token;
  const int position = round->length + index;
  draft->rows[0] = chain_row(token, position, round->draft_slot);
  set_rows(*draft, 1, round->draft_slot, position + 1, false);
}

__global__ void begin_verification(RoundState* round, ForwardState* target, int length) {
  wait_for_previous_kernel();
  const int i = static_cast<int>(threadIdx.x), last = round->length - 1;
  if (i <= length) target->rows[i] = chain_row(i == 0 ? round->pending : round->drafted[i - 1], last + i, round->target_slot);
  if (i != 0) return;
  set_rows(*target, length + 1, round->target_slot, last + length + 1, true);
  round->times[1] = device_nanoseconds();
}

__global__ void __launch_bounds__(kBlockThreads, 1) target_laws(RoundState* round, const PassOutput output, const DeviceLaws laws) {
  __shared__ BlockShared shared;
  wait_for_previous_kernel();
  const int row = static_cast<int>(blockIdx.x);
  if (row == 0 && threadIdx.x == 0) round->times[2] = device_nanoseconds();
  const BestLogit likeliest = block_best(output.best + static_cast<std::int64_t>(row) * output.blocks, output.blocks, shared);
  if (threadIdx.x == 0) {
    note_damage(*round, likeliest.value);
    round->best[row] = likeliest.token < laws.vocab ? likeliest.token : 0;
  }
  if (round->inverse_temperature <= 0.0f) return;
  const std::int64_t at = static_cast<std::int64_t>(row) * laws.vocab;
  const double total = block_exponentials(output.logits + at, laws.vocab, likeliest.value, round->inverse_temperature, laws.exponentials + at, shared);
  if (threadIdx.x == 0) laws.sums[row] = total;
}

/// One law of several, normalised in float as on the host.
struct LawView {
  const float* exponentials;
  float scale;
  __device__ LawView(const DeviceLaws& laws, int index)
      : exponentials(laws.exponentials + static_cast<std::int64_t>(index) * laws.vocab), scale(static_cast<float>(1.0 / laws.sums[index])) {}
  __device__ float operator[](int token) const { return exponentials[token] * scale; }
};

/// How many drafted tokens stand, by the ratio test. @source Leviathan et al. 2023, Alg. 1
__device__ int accepted_by_ratio(const RoundState& round, int length, const DeviceLaws& draft, const DeviceLaws& target) {
  for (int i = 0; i < length; ++i) {
    const int token = round.drafted[i];
    const double coin = philox_uniform(round.seed, round.sequence, static_cast<std::uint32_t>(round.length + i), kAcceptDraw,
                                       round.round << kNodeBits | static_cast<std::uint32_t>(i + 1));
    if (!(coin < static_cast<double>(LawView(target, i)[token]) / static_cast<double>(LawView(draft, i)[token]))) return i;
  }
  return length;
}

__device__ int accepted_by_match(const RoundState& round, int length) {
  int accepted = 0;
  while (accepted < length && round.drafted[accepted] == round.best[accepted]) ++accepted;
  return accepted;
}

/// From what is left of the target's law after a rejection, else from the law itself.
__device__ int draw_next(const RoundState& round, int accepted, int length, const DeviceLaws& draft, const DeviceLaws& target, BlockShared& shared) {
  const LawView p(target, accepted);
  const auto position = static_cast<std::uint32_t>(round.length + accepted);
  if (accepted == length) return block_categorical(target.vocab, philox_uniform(round.seed, round.sequence, position, kTargetDraw, 0), [&](int i) { return p[i]; }, shared);
  const LawView q(draft, accepted);
  const double uniform = philox_uniform(round.seed, round.sequence, position, kRecoverDraw, round.round << kNodeBits | static_cast<std::uint32_t>(accepted));
  const int next = block_categorical(target.vocab, uniform, [&](int i) { return fmaxf(0.0f, p[i] - q[i]); }, shared);
  return next < target.vocab ? next : block_categorical(target.vocab, uniform, [&](int i) { return p[i]; }, shared);  // rounding left nothing
}

/// The sequence as it stands after the round.
__device__ void move_on(RoundState& round, int accepted, int next) {
  round.previous = accepted > 0 ? round.drafted[accepted - 1] : round.pending;
  round.pending = next;
  round.length += accepted + 1;
  ++round.round;
}

__device__ void tell_host(const RoundState& round, int length, int accepted, int next, RoundResult* result) {
  result->accepted = accepted;
  result->next = next;
  result->is_damaged = round.is_damaged;
  for (int i = 0; i < length; ++i) result->drafted[i] = round.drafted[i];
  for (int i = 0; i < 3; ++i) result->times[i] = round.times[i];
  result->times[3] = device_nanoseconds();
  write_to_host_last(&result->serial, round.serial);
}

__global__ void __launch_bounds__(kBlockThreads, 1) verify(RoundState* round, int length, const DeviceLaws draft, const DeviceLaws target, const std::int32_t* forced,
                                                        RoundResult* result) {
  __shared__ BlockShared shared;
  wait_for_previous_kernel();
  const bool is_drawn = round->inverse_temperature > 0.0f && *forced < 0;
  if (threadIdx.x == 0) shared.found = *forced >= 0 ? min(*forced, length) : is_drawn ? accepted_by_ratio(*round, length, draft, target) : accepted_by_match(*round, length);
  __syncthreads();
  const int accepted = shared.found;
  __syncthreads();
  int next = is_drawn ? draw_next(*round, accepted, length, draft, target, shared) : round->best[accepted];
  if (threadIdx.x != 0) return;
  if (next >= target.vocab) {
    round->is_damaged = 1;
    next = 0;
  }
  move_on(*round, accepted, next);
  tell_host(*round, length, accepted, next, result);
}

}  // namespace

void launch_begin_round(RoundState* round, ForwardState* draft, const LaunchContext& context) {
  launch(Start::in_turn, begin_round, dim3(1), 1, 0, context, round, draft);
}

void launch_choose_draft(RoundState* round, ForwardState* draft, int index, const PassOutput& output, const DeviceLaws& laws, const LaunchContext& context) {
  launch(Start::in_turn, choose_draft, dim3(1), kBlockThreads, 0, context, round, draft, index, output, laws);
}

void launch_begin_verification(RoundState* round, ForwardState* target, int length, const LaunchContext& context) {
  launch(Start::in_turn, begin_verification, dim3(1), kMaxRows, 0, context, round, target, length);
}

void launch_target_laws(RoundState* round, int rows, const PassOutput& output, const DeviceLaws& laws, const LaunchContext& context) {
  launch(Start::in_turn, target_laws, dim3(static_cast<unsigned>(rows)), kBlockThreads, 0, context, round, output, laws);
}

void launch_verify(RoundState* round, int length, const DeviceLaws& draft, const DeviceLaws& target, const std::int32_t* forced, RoundResult* result,
                   const LaunchContext& context) {
  launch(Start::in_turn, verify, dim3(1), kBlockThreads, 0, context, round, length, draft, target, forced, result);
}

}  // namespace speclab::engines::cuda
