#include "engines/cuda/kernels/launch.cuh"
#include "engines/cuda/kernels/round_functions.cuh"
#include "engines/cuda/kernels/rounds.h"

namespace speclab::engines::cuda {
namespace {

/// A drafted node stands; the whole block knows, one thread writes.
__device__ void accept(RoundState& round, RoundOutcome& outcome, int node) {
  if (threadIdx.x == 0) round.moves.from[outcome.accepted] = round.length - 1 + node;
  ++outcome.accepted;
}

/// Children of a node that are tried in vain before the one that has the arg max; all of them where
/// none has it.
__device__ int tried_by_match(const RoundState& round, int node) {
  const int first = round.tree.first_child[node], count = round.tree.num_children[node];
  int tried = 0;
  while (tried < count && round.drafted[first + tried - 1] != round.best[node]) ++tried;
  return tried;
}

/// Down the tree as long as the arg max is among the children, or along the first of them as far as
/// is forced.
__device__ RoundOutcome match(RoundState& round, int forced) {
  RoundOutcome outcome{};
  for (int node = 0;;) {
    const int count = round.tree.num_children[node];
    const int before = forced < 0                  ? tried_by_match(round, node)
                       : outcome.accepted < forced ? 0
                                                   : count;
    outcome.tested += forced < 0 ? min(before + 1, count) : min(1, count);
    if (before == count) {
      outcome.next = round.best[node];
      outcome.is_bonus = count == 0;
      return outcome;
    }
    node = round.tree.first_child[node] + before;
    accept(round, outcome, node);
  }
}

/// What is left of the target's law at a node while children are rejected: weights less a law that
/// was rejected last, where that is positive.
struct Remainder {
  LawView weights, taken;
  float taken_scale;  ///< 0 before the first rejection

  __device__ explicit Remainder(const LawView& law) : weights(law), taken(law), taken_scale(0.0f) {}
  __device__ float operator()(int token) const {
    return taken_scale > 0.0f ? fmaxf(0.0f, weights(token) - taken(token) * taken_scale)
                              : weights(token);
  }
};

/// The same as weights alone. Without mass, by rounding, the target's own law takes over.
__device__ Remainder written_out(const Remainder& left, const LawView& whole, const TreeLaws& laws,
                                 BlockShared& shared) {
  __syncthreads();  // all threads have read what is overwritten here
  double own = 0.0;
  for (int i = static_cast<int>(threadIdx.x); i < laws.target.vocab; i += kBlockThreads) {
    const float weight = left(i);
    laws.remainder[i] = weight;
    own += static_cast<double>(weight);
  }
  const double mass = block_running_sum(own, shared);
  __syncthreads();
  return Remainder(mass > 0.0 ? LawView(laws.remainder, mass) : whole);
}

/// Tests the children of a node in turn; `left` is what their rejections leave. @return the one
/// that stands, or -1
__device__ int child_by_ratio(const RoundState& round, int node, const TreeLaws& laws,
                              Remainder& left, BlockShared& shared, std::int32_t& tested) {
  const LawView whole(laws.target, node);
  const int first = round.tree.first_child[node], count = round.tree.num_children[node],
            depth = round.tree.depth[node];
  for (int i = 0; i < count; ++i) {
    if (i > 0) left = written_out(left, whole, laws, shared);
    const int child = first + i, token = round.drafted[child - 1];
    const LawView law(laws.draft, node);
    const double scale = i == 0 ? 1.0 : 1.0 / round.tree.mass[child];
    ++tested;
    if (node_uniform(round, depth, kAcceptDraw, child) <
        static_cast<double>(left(token)) / (static_cast<double>(law(token)) * scale))
      return child;
    left.taken = law;
    left.taken_scale = static_cast<float>(scale);
  }
  return -1;
}

/// The next token behind a node where no child stands.
__device__ int draw_next(const RoundState& round, int node, const Remainder& left,
                         const DeviceLaws& target, BlockShared& shared) {
  const int depth = round.tree.depth[node];
  const bool is_bonus = round.tree.num_children[node] == 0;
  const double uniform =
      is_bonus ? target_uniform(round, depth) : node_uniform(round, depth, kRecoverDraw, node);
  const int next = block_categorical(target.vocab, uniform, left, shared);
  return next < target.vocab ? next
                             : block_categorical(target.vocab, uniform, LawView(target, node),
                                                 shared);  // rounding left nothing
}

/// The ratio test down the tree, of siblings drawn without replacement, as verify_rejection of
/// sim/rules. All threads decide alike.
/// @source Sequoia (Chen et al. 2024), Alg. 2
__device__ RoundOutcome test_ratios(RoundState& round, const TreeLaws& laws, BlockShared& shared) {
  RoundOutcome outcome{};
  for (int node = 0;;) {
    Remainder left{LawView(laws.target, node)};
    const int child = child_by_ratio(round, node, laws, left, shared, outcome.tested);
    if (child < 0) {
      outcome.next = draw_next(round, node, left, laws.target, shared);
      outcome.is_bonus = round.tree.num_children[node] == 0;
      return outcome;
    }
    node = child;
    accept(round, outcome, node);
  }
}

__global__ void __launch_bounds__(kBlockThreads, 1)
    verify_tree(RoundState* round, const TreeLaws laws) {
  __shared__ BlockShared shared;
  wait_for_previous_kernel();
  const bool is_drawn = round->inverse_temperature > 0.0f && round->forced < 0;
  if (!is_drawn && threadIdx.x != 0) return;
  RoundOutcome outcome =
      is_drawn ? test_ratios(*round, laws, shared) : match(*round, round->forced);
  if (threadIdx.x != 0) return;
  if (outcome.next >= laws.target.vocab) {
    round->is_damaged = 1;
    outcome.next = 0;
  }
  outcome.drafted = round->rows - 1;
  outcome.depth = round->tree.depth[round->rows - 1];
  round->moves.first = round->length;
  round->moves.count = outcome.accepted;
  const int last =
      outcome.accepted > 0 ? round->moves.from[outcome.accepted - 1] - round->length : -1;
  move_on(*round, outcome, last >= 0 ? round->drafted[last] : round->pending);
}

__global__ void tell_host_of_tree(const RoundState* round, RoundResult* result) {
  wait_for_previous_kernel();
  tell_host(
      *round, [round](int i) { return round->drafted[round->moves.from[i] - round->moves.first]; },
      result);
}

}  // namespace

void launch_verify_tree(RoundState* round, const TreeLaws& laws, const LaunchContext& context) {
  launch(Start::in_turn, verify_tree, dim3(1), kBlockThreads, 0, context, round, laws);
}

void launch_tell_host(const RoundState* round, RoundResult* result, const LaunchContext& context) {
  launch(Start::in_turn, tell_host_of_tree, dim3(1), 1, 0, context, round, result);
}

}  // namespace speclab::engines::cuda
