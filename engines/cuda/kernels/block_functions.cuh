#pragma once
// What all threads of one block find out together.

#include "engines/cuda/kernels.h"
#include "engines/cuda/kernels/device_functions.cuh"

namespace speclab::engines::cuda {

inline constexpr int kBlockThreads = 1024;

/// Room for what the threads of a block tell each other.
struct BlockShared {
  double sums[kBlockThreads];
  float values[kBlockThreads];
  std::int32_t tokens[kBlockThreads];
  std::int32_t found, crossing;
};

/// Of no entry: higher than any.
inline constexpr std::int32_t kNoToken = 0x7fffffff;

/// The better of both, the lower token on ties. Infinite where one is no number.
__device__ inline void take_better(BestLogit& best, float value, std::int32_t token) {
  if (value != value) best = {CUDART_INF_F, 0};
  if (value > best.value || (value == best.value && token < best.token)) best = {value, token};
}

/// The best of the threads' entries; the same for every thread.
__device__ inline BestLogit block_best_of(BestLogit best, BlockShared& shared) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int stride = kBlockThreads / 2; stride > 0; stride /= 2) {
    shared.values[thread] = best.value;
    shared.tokens[thread] = best.token;
    __syncthreads();
    if (thread < stride) take_better(best, shared.values[thread + stride], shared.tokens[thread + stride]);
    __syncthreads();
  }
  shared.values[thread] = best.value;
  shared.tokens[thread] = best.token;
  __syncthreads();
  best = {shared.values[0], shared.tokens[0]};
  __syncthreads();
  return best;
}

/// The best of `count` entries.
__device__ inline BestLogit block_best(const BestLogit* entries, int count, BlockShared& shared) {
  BestLogit best{-CUDART_INF_F, kNoToken};
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kBlockThreads) take_better(best, entries[i].value, entries[i].token);
  return block_best_of(best, shared);
}

/// The best token behind `last` in falling order of weights, ties to the lower one, but for `left_out`; kNoToken if there is none.
template <typename Weight>
__device__ BestLogit block_next_best(int size, const Weight& weight, const BestLogit& last, std::int32_t left_out, BlockShared& shared) {
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
  for (int i = static_cast<int>(threadIdx.x); i < size; i += kBlockThreads) own += weight(i) > 0.0f ? 1 : 0;
  if (own > 0) atomicAdd(&shared.found, own);
  __syncthreads();
  const int found = shared.found;
  __syncthreads();
  return found;
}

/// sums[t] becomes the sum of the threads' values up to and with t. @return the sum of all
__device__ inline double block_running_sum(double value, BlockShared& shared) {
  const int thread = static_cast<int>(threadIdx.x);
  shared.sums[thread] = value;
  __syncthreads();
  for (int distance = 1; distance < kBlockThreads; distance *= 2) {
    const double before = thread >= distance ? shared.sums[thread - distance] : 0.0;
    __syncthreads();
    shared.sums[thread] += before;
    __syncthreads();
  }
  return shared.sums[kBlockThreads - 1];
}

/// The first index whose cumulative weight exceeds uniform times the sum of all, as InversionChance::categorical on the host. Leaves that sum
/// in the last of shared.sums.
/// @param weight  weight(i) for i < size, not negative @return `size` if no weight is positive; the same for every thread
template <typename Weight>
__device__ int block_categorical(int size, double uniform, const Weight& weight, BlockShared& shared) {
  const int thread = static_cast<int>(threadIdx.x), share = (size + kBlockThreads - 1) / kBlockThreads;
  const int begin = min(size, thread * share), end = min(size, begin + share);
  double own = 0.0;
  for (int i = begin; i < end; ++i) own += static_cast<double>(weight(i));
  if (thread == 0) {
    shared.crossing = -1;
    shared.found = size;
  }
  const double total = block_running_sum(own, shared), threshold = uniform * total;
  const double below = thread == 0 ? 0.0 : shared.sums[thread - 1];
  if (own > 0.0 && below <= threshold) atomicMax(&shared.crossing, thread);  // the last such share; rounding leaves no gap between two
  __syncthreads();
  if (thread == shared.crossing) {
    double cumulative = below;
    for (int i = begin; i < end && cumulative <= threshold; ++i) {
      const double w = static_cast<double>(weight(i));
      cumulative += w;
      if (w > 0.0) shared.found = i;  // the last positive one where rounding hides the crossing
    }
  }
  __syncthreads();
  const int found = shared.found;
  __syncthreads();
  return found;
}

inline constexpr float kLeastExponent = -87.0f;  ///< below it the host's exp_nonpositive is 0 too: which tokens a law has decides how many children a node gets

/// exponentials[i] = exp((logits[i] - largest) / temperature). @return their sum
__device__ inline double block_exponentials(const float* logits, int size, float largest, float inverse_temperature, float* exponentials, BlockShared& shared) {
  double own = 0.0;
  for (int i = static_cast<int>(threadIdx.x); i < size; i += kBlockThreads) {
    const float exponent = (logits[i] - largest) * inverse_temperature, value = exponent < kLeastExponent ? 0.0f : expf(exponent);
    exponentials[i] = value;
    own += static_cast<double>(value);
  }
  const double total = block_running_sum(own, shared);
  __syncthreads();
  return total;
}

}  // namespace speclab::engines::cuda
