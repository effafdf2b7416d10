// Drafts of the host: from pinned memory to where the kernels of verification look for a draft.

#include "engines/cuda/kernels/launch.cuh"
#include "engines/cuda/kernels/round_functions.cuh"
#include "engines/cuda/kernels/rounds.h"

namespace speclab::engines::cuda {
namespace {

constexpr int kTakeThreads = 256;

/// The law behind a node, over the whole vocabulary. Its exponentials are probabilities, of sum 1.
__device__ void spread_law(const HostNode& node, const HostLawEntry* entries, int number,
                           const DeviceLaws& laws) {
  float* law = laws.exponentials + static_cast<std::int64_t>(number) * laws.vocab;
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < laws.vocab; i += kTakeThreads) law[i] = 0.0f;
  __syncthreads();
  for (int i = node.law_begin + thread; i < node.law_end; i += kTakeThreads)
    law[entries[i].token] = entries[i].probability;
  if (thread == 0) laws.sums[number] = 1.0;
}

__device__ void take_node(RoundState& round, const HostNode& node, int number) {
  DraftedTree& tree = round.tree;
  if (number > 0) round.drafted[number - 1] = node.token;
  tree.depth[number] = node.depth;
  tree.first_child[number] = node.first_child;
  tree.num_children[number] = node.num_children;
  tree.ancestors[number] = node.ancestors;
  tree.mass[number] = node.mass;
}

/// Thread block 0 takes the nodes, a thread each, so that all cross the bus together. Thread block
/// i + 1 takes the law behind node i.
__global__ void __launch_bounds__(kTakeThreads, 1)
    take_draft(RoundState* round, const HostDraft* draft, const DeviceLaws laws) {
  wait_for_previous_kernel();
  const int rows = draft->rows, thread = static_cast<int>(threadIdx.x),
            number = static_cast<int>(blockIdx.x) - 1;
  if (number >= 0) {
    if (number >= rows) return;
    const HostNode node = draft->nodes[number];
    if (node.law_end > node.law_begin) spread_law(node, draft->entries, number, laws);
    return;
  }
  if (thread < rows) take_node(*round, draft->nodes[thread], thread);
  if (thread != 0) return;
  round->tree.level_begins[kMaxRows] = rows;
  round->times[0] = device_nanoseconds();
  ++round->serial;
}

}  // namespace

void launch_take_draft(RoundState* round, const HostDraft* draft, const DeviceLaws& laws, int rows,
                       const LaunchContext& context) {
  const int with_laws = laws.exponentials == nullptr ? 0 : rows - 1;  // the last one is a leaf
  launch(Start::in_turn, take_draft, dim3(static_cast<unsigned>(1 + with_laws)), kTakeThreads, 0,
         context, round, draft, laws);
}

}  // namespace speclab::engines::cuda
