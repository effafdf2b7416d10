#include "engines/cuda/kernels/rounds.h"

#include "engines/cuda/kernels/launch.cuh"
#include "engines/cuda/kernels/round_functions.cuh"

namespace speclab::engines::cuda {
namespace {

/// The nodes of a level.
struct Level {
  int begin, end;
  __device__ Level(const DraftedTree& tree, int level)
      : begin(tree.level_begins[level]), end(tree.level_begins[level + 1]) {}
};

/// Whether there is a copied token behind a node.
__device__ bool continues_copy(const RoundState& round, int node) {
  return round.tree.is_copy[node] && round.tree.depth[node] < round.copied.count;
}

/// How much of a mixture belongs to the copied token. At temperature 0 only the likeliest token
/// counts: of two tokens that are right with probabilities p and q, one is right with probability
/// p (1 - q) / (1 - p q).
__device__ double share_of_copy(const RoundState& round, double share, double surest) {
  if (round.inverse_temperature > 0.0f || share == 1.0) return share;
  return share * (1.0 - surest) / (1.0 - share * surest);
}

/// The law behind a node becomes a mixture of itself and the copied token, as
/// mixture_next_tokens of engines/drafters makes it; its exponentials are probabilities then.
/// @param best  the likeliest token of the law alone @return that of the mixture
__device__ std::int32_t mix_copy(const RoundState& round, int node, const DeviceLaws& laws,
                                 std::int32_t best) {
  const int depth = round.tree.depth[node];
  const std::int32_t copied = round.copied.tokens[depth];
  const LawView law(laws, node);
  const double surest = static_cast<double>(law(best)), expected = static_cast<double>(law(copied)),
               share = share_of_copy(round, round.copied.shares[depth], surest), rest = 1.0 - share;
  __syncthreads();  // all threads have read what is overwritten here
  float* weights = laws.exponentials + static_cast<std::int64_t>(node) * laws.vocab;
  for (int i = static_cast<int>(threadIdx.x); i < laws.vocab; i += kBlockThreads) {
    const float own = static_cast<float>(rest) * law(i);
    weights[i] = i == copied ? static_cast<float>(share) + own : own;
  }
  if (threadIdx.x == 0) laws.sums[node] = 1.0;
  __syncthreads();
  if (share >= 0.5) return copied;
  if (rest * surest >= 0.5) return best;
  const float with_copy = static_cast<float>(share + rest * expected),
              without = static_cast<float>(rest * surest);
  return with_copy > without || (with_copy == without && copied < best) ? copied : best;
}

__global__ void __launch_bounds__(kBlockThreads, 1)
    level_laws(RoundState* round, const DeviceShape shape, int number, const PassOutput output,
               const DeviceLaws laws) {
  __shared__ BlockShared shared;
  wait_for_previous_kernel();
  DraftedTree& tree = round->tree;
  const Level level(tree, number);
  const int node = level.begin + static_cast<int>(blockIdx.x);
  if (node >= level.end) return;
  const int wanted = shape.num_children[tree.shape_node[node]], row = tree.draft_row[node];
  if (wanted == 0) return;
  const BestLogit likeliest = likeliest_of(output, row, *round, shared);
  const float inverse_temperature =
      round->inverse_temperature > 0.0f ? round->inverse_temperature : 1.0f;
  leave_law(output, row, likeliest.value, inverse_temperature, laws, node, shared);
  __syncthreads();  // the sum too
  std::int32_t best = likeliest.token < laws.vocab ? likeliest.token : 0;
  if (continues_copy(*round, node)) best = mix_copy(*round, node, laws, best);
  const int possible = block_count_positive(laws.vocab, LawView(laws, node), shared);
  if (threadIdx.x != 0) return;
  round->best[node] = best;
  tree.num_children[node] =
      max(1, min(wanted, possible));  // one of damaged logits, which are noted
}

/// Rows of the drafter that `count` children from `first` of the shape on take: those that have
/// children.
__device__ int rows_of(const DeviceShape& shape, int first, int count) {
  return shape.parents_before[first + count] - shape.parents_before[first];
}
__device__ int rows_of_children(const DraftedTree& tree, const DeviceShape& shape, int node) {
  return rows_of(shape, shape.first_child[tree.shape_node[node]], tree.num_children[node]);
}

/// Where a node's children go: the first of them in the tree, and its row in the drafter's next
/// pass.
struct ChildPlace {
  int node, row;
};

/// Behind the children of the nodes before it.
__device__ ChildPlace child_place(const DraftedTree& tree, const DeviceShape& shape,
                                  const Level& level, int node, BlockShared& shared) {
  const int before = level.begin + static_cast<int>(threadIdx.x);
  if (threadIdx.x == 0) {
    shared.found = level.end;
    shared.crossing = 0;
  }
  __syncthreads();
  if (before < node) {
    atomicAdd(&shared.found, tree.num_children[before]);
    atomicAdd(&shared.crossing, rows_of_children(tree, shape, before));
  }
  __syncthreads();
  const ChildPlace place{shared.found, shared.crossing};
  __syncthreads();
  return place;
}

/// Each from the law without those before it, as sample_without_replacement of
/// sim/core/law_sampling.h.
__device__ void draw_children(RoundState& round, int node, int first, const DeviceLaws& laws,
                              BlockShared& shared) {
  __shared__ float held[kMaxRows];
  const LawView law(laws, node);
  float* weights = laws.exponentials + static_cast<std::int64_t>(node) * laws.vocab;
  const int count = round.tree.num_children[node];
  for (int i = 0; i < count; ++i) {
    const int token = block_categorical(
        laws.vocab, node_uniform(round, round.tree.depth[node], kDraftDraw, first + i), law,
        shared);
    if (threadIdx.x == 0) {
      const int drawn = token < laws.vocab ? token : 0;
      round.tree.mass[first + i] = shared.sums[kBlockThreads - 1];
      round.drafted[first + i - 1] = drawn;
      held[i] = weights[drawn];
      weights[drawn] = 0.0f;
    }
    __syncthreads();
  }
  if (static_cast<int>(threadIdx.x) < count)
    weights[round.drafted[first + static_cast<int>(threadIdx.x) - 1]] = held[threadIdx.x];
}

/// The arg max, then the others in the order of NextTokens::most_likely.
__device__ void take_likeliest(RoundState& round, int node, int first, const DeviceLaws& laws,
                               BlockShared& shared) {
  const LawView law(laws, node);
  const std::int32_t likeliest = round.best[node];
  if (threadIdx.x == 0) round.drafted[first - 1] = likeliest;
  BestLogit last{CUDART_INF_F, -1};
  for (int i = 1; i < round.tree.num_children[node]; ++i) {
    last = block_next_best(laws.vocab, law, last, likeliest, shared);
    if (threadIdx.x == 0) round.drafted[first + i - 1] = last.token < laws.vocab ? last.token : 0;
  }
}

/// Slot of the root in the target's cache or, with the drafter's shift, in the drafter's; node i
/// stands i slots further.
__device__ int root_slot(const RoundState& round, int shift) { return round.length - 1 - shift; }

/// @param root  its slot
__device__ DeviceRow node_row(const RoundState& round, int node, std::int32_t slot, int root) {
  return {node == 0 ? round.pending : round.drafted[node - 1],
          root + round.tree.depth[node],
          slot,
          root + node,
          root,
          root,
          round.tree.ancestors[node]};
}

/// Child number `i` of a node, whose token is chosen.
__device__ void add_child(RoundState& round, ForwardState& draft, const DeviceShape& shape,
                          int node, int i, const ChildPlace& place) {
  DraftedTree& tree = round.tree;
  const int first_of_shape = shape.first_child[tree.shape_node[node]],
            of_shape = first_of_shape + i, child = place.node + i,
            row = place.row + rows_of(shape, first_of_shape, i);
  tree.shape_node[child] = of_shape;
  tree.num_children[child] = 0;
  tree.depth[child] = tree.depth[node] + 1;
  tree.is_copy[child] = continues_copy(round, node) &&
                        round.drafted[child - 1] == round.copied.tokens[tree.depth[node]];
  tree.ancestors[child] = tree.ancestors[node] | std::uint64_t{1} << child;
  if (shape.num_children[of_shape] == 0) return;
  tree.draft_row[child] = row;
  draft.rows[row] = node_row(round, child, round.draft_slot, root_slot(round, round.draft_shift));
  draft.states[row] = tree.draft_row[node];
  draft.wanting[row] = row;
}

/// The next level stands. @param place  behind its last child and row
__device__ void close_level(RoundState& round, ForwardState& draft, int number,
                            const ChildPlace& place) {
  round.tree.level_begins[number + 2] = place.node;
  draft.num_rows = draft.num_wanting = place.row;
  draft.num_groups = place.row > 0 ? 1 : 0;
  const int root = root_slot(round, round.draft_shift);
  draft.groups[0] = {0, place.row, round.draft_slot, root + place.node,
                     root + round.tree.level_begins[number + 1]};
}

__global__ void __launch_bounds__(kBlockThreads, 1)
    add_children(RoundState* round, ForwardState* draft, const DeviceShape shape, int number,
                 const DeviceLaws laws) {
  __shared__ BlockShared shared;
  wait_for_previous_kernel();
  DraftedTree& tree = round->tree;
  const Level level(tree, number);
  const int node = level.begin + static_cast<int>(blockIdx.x),
            thread = static_cast<int>(threadIdx.x);
  if (node >= level.end && blockIdx.x > 0) return;
  const ChildPlace place = child_place(tree, shape, level, node, shared);
  const int count = node < level.end ? tree.num_children[node] : 0;
  if (count > 0) {
    if (round->inverse_temperature > 0.0f)
      draw_children(*round, node, place.node, laws, shared);
    else
      take_likeliest(*round, node, place.node, laws, shared);
    if (thread == 0) tree.first_child[node] = place.node;
    __syncthreads();
    if (thread < count) add_child(*round, *draft, shape, node, thread, place);
  }
  if (thread == 0 && node + 1 >= level.end)
    close_level(
        *round, *draft, number,
        {place.node + count, place.row + (count > 0 ? rows_of_children(tree, shape, node) : 0)});
}

__global__ void begin_tree_verification(RoundState* round, ForwardState* target, int levels) {
  wait_for_previous_kernel();
  const int i = static_cast<int>(threadIdx.x), rows = round->tree.level_begins[levels + 1];
  if (i < rows) target->rows[i] = node_row(*round, i, round->target_slot, root_slot(*round, 0));
  if (i != 0) return;
  set_rows(*target, rows, round->target_slot, round->length - 1 + rows, true);
  round->rows = rows;
  round->times[1] = device_nanoseconds();
}

}  // namespace

void launch_level_laws(RoundState* round, const TreeLevel& level, const PassOutput& output,
                       const DeviceLaws& laws, const LaunchContext& context) {
  launch(Start::in_turn, level_laws, dim3(static_cast<unsigned>(level.nodes)), kBlockThreads, 0,
         context, round, level.shape, level.level, output, laws);
}

void launch_add_children(RoundState* round, ForwardState* draft, const TreeLevel& level,
                         const DeviceLaws& laws, const LaunchContext& context) {
  launch(Start::in_turn, add_children, dim3(static_cast<unsigned>(level.nodes)), kBlockThreads, 0,
         context, round, draft, level.shape, level.level, laws);
}

void launch_begin_tree_verification(RoundState* round, ForwardState* target, int levels,
                                    const LaunchContext& context) {
  launch(Start::in_turn, begin_tree_verification, dim3(1), kMaxRows, 0, context, round, target,
         levels);
}

}  // namespace speclab::engines::cuda
