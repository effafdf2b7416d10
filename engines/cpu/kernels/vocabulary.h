#pragma once
// Reductions over the vocabulary.

#include <cmath>

#include "engines/cpu/kernels/vectors.h"

namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE {
namespace {

/// The largest value; NaN if there is one.
float largest(const float* values, int size) {
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
  Vector all = streams[0];
  for (const Vector& stream : streams) all = larger(stream, all);
  float best = lane_max(all);
  bool any_nan = any_lane(unordered);
  for (; i < size; ++i) {
    any_nan |= values[i] != values[i];
    best = values[i] > best ? values[i] : best;
  }
  return any_nan ? NAN : best;
}

double exponentials(const ExponentialArgs& args) {
  const float* logits = args.logits;
  const float inverse_temperature = args.inverse_temperature;
  float* out = args.out;
  const Vector top = splat(args.top);
  Vector sum = {};
  int i = 0;
  for (const int size = args.size; i + kLanes <= size; i += kLanes) {
    const Vector e = exp_nonpositive((load(logits + i) - top) * inverse_temperature);
    store(out + i, e);
    sum = sum + e;
  }
  double total = lane_sum(sum);
  for (; i < args.size; ++i)
    total += out[i] = std::exp((logits[i] - args.top) * inverse_temperature);
  return total;
}

void scale(float* values, int size, float factor) {
  int i = 0;
  for (; i + kLanes <= size; i += kLanes) store(values + i, load(values + i) * factor);
  for (; i < size; ++i) values[i] *= factor;
}

/// The largest value first, then a second look for its first place, a stride of vectors at a time.
int arg_max(const float* values, int size) {
  constexpr int kStride = 4 * kLanes;
  const float best = largest(values, size);
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
