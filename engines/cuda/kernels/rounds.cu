#include "engines/cuda/kernels/rounds.h"

#include "engines/cuda/kernels/launch.cuh"
#include "engines/cuda/kernels/round_functions.cuh"

namespace speclab::engines::cuda {
namespace {

__global__ void begin_round(RoundState* round, ForwardState* draft, const HostDraft* host) {
  wait_for_previous_kernel();
  open_round(*round, host);
  if (threadIdx.x != 0) return;
  const int last = round->length - 1, rows = last > 0 ? 2 : 1;
  if (rows == 2) draft->rows[0] = chain_row(round->previous, last - 1, round->draft_slot);
  draft->rows[rows - 1] = chain_row(round->pending, last, round->draft_slot);
  set_rows(*draft, rows, round->draft_slot, last + 1, false);
}

__global__ void __launch_bounds__(kBlockThreads, 1)
    choose_draft(RoundState* round, ForwardState* draft, int index, const PassOutput output,
                 const DeviceLaws laws) {
  __shared__ BlockShared shared;
  wait_for_previous_kernel();
  const BestLogit likeliest = likeliest_of(output, 0, *round, shared);
  std::int32_t token = likeliest.token;
  if (round->inverse_temperature > 0.0f) {
    const double total =
        leave_law(output, 0, likeliest.value, round->inverse_temperature, laws, index, shared);
    const LawView law(laws.exponentials + static_cast<std::int64_t>(index) * laws.vocab, total);
    token = block_categorical(laws.vocab, node_uniform(*round, index, kDraftDraw, index + 1), law,
                              shared);
  }
  if (threadIdx.x != 0) return;
  if (token >= laws.vocab) token = 0;  // of damaged logits, which are noted
  round->drafted[index] = token;
  const int position = round->length + index - round->draft_shift;
  draft->states[0] = 0;
  draft->rows[0] = chain_row(token, position, round->draft_slot);
  set_rows(*draft, 1, round->draft_slot, position + 1, false);
}

__global__ void begin_verification(RoundState* round, ForwardState* target, int length) {
  wait_for_previous_kernel();
  const int i = static_cast<int>(threadIdx.x), last = round->length - 1;
  if (i <= length)
    target->rows[i] =
        chain_row(i == 0 ? round->pending : round->drafted[i - 1], last + i, round->target_slot);
  if (i != 0) return;
  set_rows(*target, length + 1, round->target_slot, last + length + 1, true);
  round->rows = length + 1;
  round->times[1] = device_nanoseconds();
}

__global__ void __launch_bounds__(kBlockThreads, 1)
    target_laws(RoundState* round, const PassOutput output, const DeviceLaws laws) {
  __shared__ BlockShared shared;
  wait_for_previous_kernel();
  const int row = static_cast<int>(blockIdx.x);
  if (row == 0 && threadIdx.x == 0) round->times[2] = device_nanoseconds();
  if (row >= round->rows) return;
  const BestLogit likeliest = likeliest_of(output, row, *round, shared);
  if (threadIdx.x == 0) round->best[row] = likeliest.token < laws.vocab ? likeliest.token : 0;
  if (round->inverse_temperature <= 0.0f) return;
  leave_law(output, row, likeliest.value, round->inverse_temperature, laws, row, shared);
}

/// Whether drafted token `i` passes the ratio test. @source Leviathan et al. 2023, Alg. 1
__device__ bool passes_ratio_test(const RoundState& round, int i, const DeviceLaws& draft,
                                  const DeviceLaws& target) {
  const int token = round.drafted[i];
  return node_uniform(round, i, kAcceptDraw, i + 1) <
         static_cast<double>(LawView(target, i)(token)) /
             static_cast<double>(LawView(draft, i)(token));
}

/// How many tokens of the draft stand: those before the first that fails its test. Each thread
/// tests one, so that the loads of all are under way together.
/// @param stands  stands(i): of drafted token i alone @return the same for every thread
template <typename Stands>
__device__ int accepted_of_chain(int length, const Stands& stands, BlockShared& shared) {
  const int i = static_cast<int>(threadIdx.x);
  if (i == 0) shared.found = length;
  __syncthreads();
  if (i < length && !stands(i)) atomicMin(&shared.found, i);
  __syncthreads();
  const int accepted = shared.found;
  __syncthreads();
  return accepted;
}

/// From what is left of the target's law after a rejection, else from the law itself.
__device__ int draw_next(const RoundState& round, int accepted, int length, const DeviceLaws& draft,
                         const DeviceLaws& target, BlockShared& shared) {
  const LawView p(target, accepted);
  if (accepted == length)
    return block_categorical(target.vocab, target_uniform(round, accepted), p, shared);
  const LawView q(draft, accepted);
  const double uniform = node_uniform(round, accepted, kRecoverDraw, accepted);
  const int next = block_categorical(
      target.vocab, uniform, [&](int i) { return fmaxf(0.0f, p(i) - q(i)); }, shared);
  return next < target.vocab
             ? next
             : block_categorical(target.vocab, uniform, p, shared);  // rounding left nothing
}

__global__ void __launch_bounds__(kBlockThreads, 1)
    verify(RoundState* round, int length, const DeviceLaws draft, const DeviceLaws target,
           RoundResult* result) {
  __shared__ BlockShared shared;
  wait_for_previous_kernel();
  const int forced = round->forced;
  const bool is_drawn = round->inverse_temperature > 0.0f && forced < 0;
  const int accepted = accepted_of_chain(
      length,
      [&](int i) {
        if (forced >= 0) return i < forced;
        return is_drawn ? passes_ratio_test(*round, i, draft, target)
                        : round->drafted[i] == round->best[i];
      },
      shared);
  int next =
      is_drawn ? draw_next(*round, accepted, length, draft, target, shared) : round->best[accepted];
  if (threadIdx.x != 0) return;
  if (next >= target.vocab) {
    round->is_damaged = 1;
    next = 0;
  }
  round->moves.first = round->length;
  round->moves.count = accepted;
  for (int i = 0; i < accepted; ++i) round->moves.from[i] = round->length + i;
  const bool is_bonus = accepted == length;
  move_on(*round, {accepted, is_bonus ? length : accepted + 1, next, is_bonus, length, length},
          accepted > 0 ? round->drafted[accepted - 1] : round->pending);
  tell_host(*round, [round](int i) { return round->drafted[i]; }, result);
}

}  // namespace

void launch_begin_round(RoundState* round, ForwardState* draft, const HostDraft* host,
                        const LaunchContext& context) {
  launch(Start::in_turn, begin_round, dim3(1), kMaxRows, 0, context, round, draft, host);
}

void launch_choose_draft(RoundState* round, ForwardState* draft, int index,
                         const PassOutput& output, const DeviceLaws& laws,
                         const LaunchContext& context) {
  launch(Start::in_turn, choose_draft, dim3(1), kBlockThreads, 0, context, round, draft, index,
         output, laws);
}

void launch_begin_verification(RoundState* round, ForwardState* target, int length,
                               const LaunchContext& context) {
  launch(Start::in_turn, begin_verification, dim3(1), kMaxRows, 0, context, round, target, length);
}

void launch_target_laws(RoundState* round, int rows, const PassOutput& output,
                        const DeviceLaws& laws, const LaunchContext& context) {
  launch(Start::in_turn, target_laws, dim3(static_cast<unsigned>(rows)), kBlockThreads, 0, context,
         round, output, laws);
}

void launch_verify(RoundState* round, int length, const DeviceLaws& draft, const DeviceLaws& target,
                   RoundResult* result, const LaunchContext& context) {
  launch(Start::in_turn, verify, dim3(1), kBlockThreads, 0, context, round, length, draft, target,
         result);
}

}  // namespace speclab::engines::cuda
