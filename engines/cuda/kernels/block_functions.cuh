#pragma once
// What all threads of one block find out together.

#include "engines/cuda/kernels.h"
#include "engines/cuda/kernels/device_functions.cuh"

namespace speclab::engines::cuda {

inline constexpr int kBlockThreads = 1024;

/// Room for what the threads of a block tell each other.
struct BlockShared {
  double sums[kBlockThreads], warp_sums[32];
  float values[kBlockThreads / 32];  ///< the best of each warp, as are its tokens
  std::int32_t tokens[kBlockThreads / 32];
  std::int32_t found, crossing;
};

/// Of no entry: higher than any.
inline constexpr std::int32_t kNoToken = 0x7fffffff;

/// The better of both, the lower token on ties. A value that is no number makes the best plus
/// infinity at token 0, which marks damage.
__device__ inline void take_better(BestLogit& best, float value, std::int32_t token) {
  if (value != value) best = {CUDART_INF_F, 0};
  if (value > best.value || (value == best.value && token < best.token)) best = {value, token};
}

/// The best of the lanes' entries; the same for every lane.
__device__ inline BestLogit warp_best(BestLogit best) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    const float value = __shfl_xor_sync(0xffffffffu, best.value, distance);
    const std::int32_t token = __shfl_xor_sync(0xffffffffu, best.token, distance);
    take_better(best, value, token);
  }
  return best;
}

/// The best of the threads' entries; the same for every thread.
__device__ inline BestLogit block_best_of(BestLogit best, BlockShared& shared) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  best = warp_best(best);
  if (lane == 0) {
    shared.values[warp] = best.value;
    shared.tokens[warp] = best.token;
  }
  __syncthreads();
  best = warp_best({shared.values[lane], shared.tokens[lane]});
  __syncthreads();
  return best;
}

/// The best of `count` entries.
__device__ inline BestLogit block_best(const BestLogit* entries, int count, BlockShared& shared) {
  BestLogit best{-CUDART_INF_F, kNoToken};
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kBlockThreads)
    take_better(best, entries[i].value, entries[i].token);
  return block_best_of(best, shared);
}

/// The best token behind `last` in falling order of weights, ties to the lower one, but for
/// `left_out`; kNoToken if there is none.
template <typename Weight>
__device__ BestLogit block_next_best(int size, const Weight& weight, const BestLogit& last,
                                     std::int32_t left_out, BlockShared& shared) {
  BestLogit best{-CUDART_INF_F, kNoToken};
  for (int i = static_cast<int>(threadIdx.x); i < size; i += kBlockThreads) {
    const float value = weight(i);
    const bool is_behind = value < last.value || (value == last.value && i > last.token);
    if (is_behind && i != left_out) take_better(best, value, i);
  }
  return block_best_of(best, shared);
}

/// How many weights are positive; the same for every thread.
template <typename Weight>
__device__ int block_count_positive(int size, const Weight& weight, BlockShared& shared) {
  if (threadIdx.x == 0) shared.found = 0;
  __syncthreads();
  int own = 0;
  for (int i = static_cast<int>(threadIdx.x); i < size; i += kBlockThreads)
    own += weight(i) > 0.0f ? 1 : 0;
  if (own > 0) atomicAdd(&shared.found, own);
  __syncthreads();
  const int found = shared.found;
  __syncthreads();
  return found;
}

/// The sum of the lanes' values up to and with this one.
__device__ inline double warp_running_sum(double value) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const double before = __shfl_up_sync(0xffffffffu, value, distance);
    if (lane >= distance) value += before;
  }
  return value;
}

/// sums[t] becomes the sum of the threads' values up to and with t: those of its warp, behind those
/// of the warps before it. @return the sum of all
__device__ inline double block_running_sum(double value, BlockShared& shared) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const double within = warp_running_sum(value);
  if (lane == 31) shared.warp_sums[warp] = within;
  __syncthreads();
  if (warp == 0) shared.warp_sums[lane] = warp_running_sum(shared.warp_sums[lane]);
  __syncthreads();
  shared.sums[thread] = (warp == 0 ? 0.0 : shared.warp_sums[warp - 1]) + within;
  __syncthreads();
  return shared.sums[kBlockThreads - 1];
}

/// The sum of the weights at first, first + step, ... before `end`.
template <typename Weight>
__device__ double own_sum(int first, int step, int end, const Weight& weight) {
  double own = 0.0;
#pragma unroll 4
  for (int i = first; i < end; i += step) own += static_cast<double>(weight(i));
  return own;
}

/// shared.found becomes the first index in [begin, end) whose cumulative weight, added to `before`,
/// exceeds the threshold. If rounding hides it, the last positive one. Requires a positive weight
/// and before <= threshold.
template <typename Weight>
__device__ void find_in_segment(int begin, int end, double before, double threshold,
                                const Weight& weight, BlockShared& shared) {
  const int thread = static_cast<int>(threadIdx.x),
            share = (end - begin + kBlockThreads - 1) / kBlockThreads;
  const int first = min(end, begin + thread * share), last = min(end, first + share);
  if (thread == 0) shared.crossing = -1;
  const double own = own_sum(first, 1, last, weight);
  block_running_sum(own, shared);
  const double below = before + (thread == 0 ? 0.0 : shared.sums[thread - 1]);
  if (own > 0.0 && below <= threshold) atomicMax(&shared.crossing, thread);  // the last such share
  __syncthreads();
  if (thread == shared.crossing) {
    double cumulative = below;
    for (int i = first; i < last && cumulative <= threshold; ++i) {
      const double w = static_cast<double>(weight(i));
      cumulative += w;
      if (w > 0.0) shared.found = i;
    }
  }
  __syncthreads();
}

/// The first index whose cumulative weight exceeds uniform times the sum of all, as
/// InversionChance::categorical on the host. Leaves that sum in the last of shared.sums.
///
/// It is found in two steps, so that a warp reads 32 consecutive weights at a time. Every warp adds
/// up a segment of consecutive weights, lane l those at l, l + 32, ...; the lanes' sums are added
/// in the order of block_running_sum. The segment where the threshold is crossed is then dealt out
/// to all threads, a few consecutive weights each, and added up once more behind the segments
/// before it. All sums are double. They are the host's where every partial sum is exact; else they
/// differ from the host's by at most one rounding of the total a term.
/// @param weight  weight(i) for i < size, not negative @return `size` if no weight is positive; the
/// same for every thread
template <typename Weight>
__device__ int block_categorical(int size, double uniform, const Weight& weight,
                                 BlockShared& shared) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int share = (size + kBlockThreads - 1) / kBlockThreads, segment = 32 * share;
  if (thread == 0) {
    shared.crossing = -1;
    shared.found = size;
  }
  const double total = block_running_sum(
                   own_sum(warp * segment + lane, 32, min(size, (warp + 1) * segment), weight),
                   shared),
               threshold = uniform * total;
  if (lane == 31) {
    const double below = warp == 0 ? 0.0 : shared.sums[thread - 32];
    if (shared.sums[thread] > below && below <= threshold)
      atomicMax(&shared.crossing,
                warp);  // the last such segment; rounding leaves no gap between two
  }
  __syncthreads();
  const int crossing = shared.crossing;
  const double before = crossing > 0 ? shared.sums[32 * crossing - 1] : 0.0;
  __syncthreads();
  if (crossing >= 0)
    find_in_segment(crossing * segment, min(size, (crossing + 1) * segment), before, threshold,
                    weight, shared);
  const int found = shared.found;
  __syncthreads();
  if (thread == 0) shared.sums[kBlockThreads - 1] = total;
  __syncthreads();
  return found;
}

inline constexpr float kLeastExponent =
    -87.0f;  ///< below it the host's exp_nonpositive is 0 too: which tokens a law has decides how
             ///< many children a node gets

/// exponentials[i] = exp((logit(i) - largest) / temperature). @return their sum
template <typename Logit>
__device__ double block_exponentials(const Logit& logit, int size, float largest,
                                     float inverse_temperature, float* exponentials,
                                     BlockShared& shared) {
  double own = 0.0;
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < size; i += kBlockThreads) {
    const float exponent = (logit(i) - largest) * inverse_temperature,
                value = exponent < kLeastExponent ? 0.0f : expf(exponent);
    exponentials[i] = value;
    own += static_cast<double>(value);
  }
  const double total = block_running_sum(own, shared);
  __syncthreads();
  return total;
}

}  // namespace speclab::engines::cuda
