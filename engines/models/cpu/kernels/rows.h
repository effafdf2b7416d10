#pragma once
// What is done to a row by itself.

#include <cmath>

#include "engines/models/cpu/kernels/vectors.h"

namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE {
namespace {

template <typename Element>
void rms_norm_as(const float* x, const float* weight, int size, float epsilon, Element* out) {
  Vector squares = {};
  for (int i = 0; i < size; i += kLanes) squares = squares + load(x + i) * load(x + i);
  const float scale = 1.0f / std::sqrt(lane_sum(squares) / static_cast<float>(size) + epsilon);
  for (int i = 0; i < size; i += kLanes) store_as(load(x + i) * scale * load(weight + i), out + i);
}

void rms_norm(const float* x, const float* weight, int size, float epsilon, ElementType type,
              void* out) {
  if (type == ElementType::float32)
    return rms_norm_as(x, weight, size, epsilon, static_cast<float*>(out));
  rms_norm_as(x, weight, size, epsilon, static_cast<BFloat16*>(out));
}

void convert(const float* x, int size, ElementType type, void* out) {
  for (int i = 0; i < size; i += kLanes) {
    if (type == ElementType::float32)
      store_as(load(x + i), static_cast<float*>(out) + i);
    else
      store_as(load(x + i), static_cast<BFloat16*>(out) + i);
  }
}

}  // namespace
}  // namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE
