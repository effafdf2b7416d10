#pragma once
// Reductions over the vocabulary.

#include <cmath>

#include "engines/cpu/kernels/vectors.h"

namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE {
namespace {

/// The largest value; NaN if there is one.
inline float largest_of(const float* values, int size) {
  constexpr int kStreams = 4;
  Vector streams[kStreams];
  for (Vector& stream : streams) stream = splat(-INFINITY);
  IntVector unordered = {};
  int i = 0;
  for (; i + kStreams * kLanes <= size; i += kStreams * kLanes)
    for (int s = 0; s < kStreams; ++s) {
      const Vector v = load(values + i + s * kLanes);
      unordered = unordered | (v != v);
      streams[s] = larger(v, streams[s]);
    }
  Vector largest = streams[0];
  for (const Vector& stream : streams) largest = larger(stream, largest);
  float best = lane_max(largest);
  bool any_nan = any_lane(unordered);
  for (; i < size; ++i) {
    any_nan |= values[i] != values[i];
    best = values[i] > best ? values[i] : best;
  }
  return any_nan ? NAN : best;
}

double softmax(const float* logits, int size, float inverse_temperature, float* probabilities) {
  const Vector top = splat(largest_of(logits, size));
  double total = 0;
  Vector sum = {};
  int i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    const Vector e = exp_nonpositive((load(logits + i) - top) * inverse_temperature);
    store(probabilities + i, e);
    sum = sum + e;
    if (i % 4096 == 4096 - kLanes) {
      total += lane_sum(sum);
      sum = Vector{};
    }
  }
  total += lane_sum(sum);
  for (; i < size; ++i)
    total += probabilities[i] = std::exp((logits[i] - top[0]) * inverse_temperature);
  const float scale = static_cast<float>(1.0 / total);
  for (i = 0; i + kLanes <= size; i += kLanes)
    store(probabilities + i, load(probabilities + i) * scale);
  for (; i < size; ++i) probabilities[i] *= scale;
  return total;
}

/// The largest value first, then a second look for its first place, a stride of vectors at a time.
int arg_max(const float* values, int size) {
  constexpr int kStride = 4 * kLanes;
  const float best = largest_of(values, size);
  int i = 0;
  if (best != best) {
    while (values[i] == values[i]) ++i;
    return i;
  }
  for (; i + kStride <= size; i += kStride) {
    IntVector found = {};
    for (int v = 0; v < kStride; v += kLanes) found = found | (load(values + i + v) == best);
    if (any_lane(found)) break;
  }
  while (i < size && !(values[i] == best)) ++i;
  return i < size ? i : 0;
}

}  // namespace
}  // namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE
