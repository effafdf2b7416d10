#pragma once
// Functions of one row.

#include <cmath>

#include "engines/cpu/kernels/vectors.h"

namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE {
namespace {

inline Vector scaled(const NormArgs& args, Vector x, int i) {
  const Vector gained = x * load(args.weight + i);
  return args.bias == nullptr ? gained : gained + load(args.bias + i);
}

template <typename Element>
void rms_norm_as(const NormArgs& args, Element* out) {
  const int width = args.width > 0 ? args.width : args.size;
  Vector squares = {};
  for (int i = 0; i < width; i += kLanes) squares = squares + load(args.x + i) * load(args.x + i);
  const float scale =
      1.0f / std::sqrt(lane_sum(squares) / static_cast<float>(args.size) + args.epsilon);
  for (int i = 0; i < width; i += kLanes)
    store_as(scaled(args, load(args.x + i) * scale, i), out + i);
}

inline float mean_of(const float* x, int size) {
  Vector sum = {};
  for (int i = 0; i < size; i += kLanes) sum = sum + load(x + i);
  return lane_sum(sum) / static_cast<float>(size);
}

/// The padding, which is zero, has no part in it.
inline float variance_of(const float* x, int size, float mean) {
  Vector squares = {};
  int i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    const Vector distance = load(x + i) + splat(-mean);
    squares = squares + distance * distance;
  }
  float sum = lane_sum(squares);
  for (; i < size; ++i) sum += (x[i] - mean) * (x[i] - mean);
  return sum / static_cast<float>(size);
}

template <typename Element>
void layer_norm_as(const NormArgs& args, Element* out) {
  const float mean = mean_of(args.x, args.size);
  const float scale = 1.0f / std::sqrt(variance_of(args.x, args.size, mean) + args.epsilon);
  for (int i = 0; i < args.size; i += kLanes)
    store_as(scaled(args, (load(args.x + i) + splat(-mean)) * scale, i), out + i);
}

template <typename Element>
void norm_as(const NormArgs& args) {
  Element* out = static_cast<Element*>(args.out);
  if (args.kind == NormKind::rms) return rms_norm_as(args, out);
  layer_norm_as(args, out);
}

void norm(const NormArgs& args) {
  if (args.type == ElementType::float32) return norm_as<float>(args);
  norm_as<BFloat16>(args);
}

void convert(const float* x, int size, ElementType type, void* out) {
  for (int i = 0; i < size; i += kLanes) {
    if (type == ElementType::float32)
      store_as(load(x + i), static_cast<float*>(out) + i);
    else
      store_as(load(x + i), static_cast<BFloat16*>(out) + i);
  }
}

/// Value by value alike, wherever it stands: the rest goes through whole vectors too.
void soft_cap(float* values, int size, float cap) {
  int i = 0;
  for (; i + kLanes <= size; i += kLanes) store(values + i, capped(load(values + i), cap));
  float rest[kLanes] = {};
  for (int k = i; k < size; ++k) rest[k - i] = values[k];
  store(rest, capped(load(rest), cap));
  for (int k = i; k < size; ++k) values[k] = rest[k - i];
}

}  // namespace
}  // namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE
