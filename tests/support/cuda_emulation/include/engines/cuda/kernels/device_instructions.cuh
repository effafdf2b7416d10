#pragma once
// The device's instructions in C++: what engines/cuda/kernels/device_instructions.cuh says in
// machine language, and CUDA's built-in functions that the kernels call.

#include <cuda_bf16.h>
#include <math_constants.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace speclab::cuda_emulation {

void* shared_memory();
/// Waits until all living threads of the block are here.
void synchronize_block();
/// `bits` of the lane whose number differs by `mask`.
std::uint32_t shuffle_xor(std::uint32_t bits, int mask);
/// `bits` of the lane whose number is less by `distance`, or this lane's own where there is none.
std::uint64_t shuffle_up(std::uint64_t bits, int distance);
/// Queued until this thread waits for it.
void copy_later(void* target, const void* source, std::size_t bytes);
void commit_copies();
void wait_for_copies(int pending);
/// Until the kernel in front has ended, in the adversarial order.
void wait_for_previous_kernel();
void fence();
/// Before an addition to a counter: one of the device tells other blocks that this one's writes are
/// there.
void arrive_at(const void* counter);
void read_of_others();
/// One 16 x 8 product of the warp, from and to the lanes' registers.
void multiply_add(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]);

}  // namespace speclab::cuda_emulation

// NOLINTBEGIN: the names are CUDA's
inline void __syncthreads() { speclab::cuda_emulation::synchronize_block(); }
inline void __threadfence() { speclab::cuda_emulation::fence(); }
template <typename T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  return std::bit_cast<T>(
      speclab::cuda_emulation::shuffle_xor(std::bit_cast<std::uint32_t>(value), mask));
}
inline bool __all_sync(unsigned mask, bool predicate) {
  std::uint32_t all = predicate ? 1 : 0;
  for (int distance = 1; distance < 32; distance *= 2) all &= __shfl_xor_sync(mask, all, distance);
  return all != 0;
}
inline double __shfl_up_sync(unsigned, double value, int distance) {
  return std::bit_cast<double>(
      speclab::cuda_emulation::shuffle_up(std::bit_cast<std::uint64_t>(value), distance));
}
inline int atomicAdd(int* target, int value) {
  speclab::cuda_emulation::arrive_at(target);
  return std::exchange(*target, *target + value);
}
inline int atomicMax(int* target, int value) {
  return std::exchange(*target, std::max(*target, value));
}
inline int atomicMin(int* target, int value) {
  return std::exchange(*target, std::min(*target, value));
}
inline float __int_as_float(int bits) { return std::bit_cast<float>(bits); }
inline int __float_as_int(float value) { return std::bit_cast<int>(value); }
inline float __uint_as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a < b ? b : a; }
inline float __expf(float value) { return std::exp(value); }
inline float rsqrtf(float value) { return 1.0f / std::sqrt(value); }
inline float cospif(float value) {
  return static_cast<float>(std::cos(3.14159265358979323846 * static_cast<double>(value)));
}
template <typename T>
T __ldcg(const T* address) {
  speclab::cuda_emulation::read_of_others();
  return *address;
}
template <typename T>
T __ldcs(const T* address) {
  return *address;
}
// NOLINTEND

namespace speclab::engines::cuda {

template <typename T>
T* dynamic_shared() {
  return static_cast<T*>(cuda_emulation::shared_memory());
}

/// In double, so that its bits do not depend on which form of exp2f a processor gets.
inline float exp2f(float value) {
  return static_cast<float>(std::exp2(static_cast<double>(value)));
}

inline void expect_in_emulation(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}
inline void wait_for_previous_kernel() { cuda_emulation::wait_for_previous_kernel(); }
inline void let_next_kernel_start() {}  // in the adversarial order every kernel does so at once
inline std::uint64_t device_nanoseconds() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}
inline void write_to_host_last(std::uint32_t* address, std::uint32_t value) { *address = value; }
enum class CopyHint { none, fetch_256 };
template <CopyHint kHint>
void copy_async_16(void* shared, const void* global) {
  cuda_emulation::copy_later(shared, global, 16);
}
inline void copy_async_4(void* shared, const void* global) {
  cuda_emulation::copy_later(shared, global, 4);
}
inline void commit_copies() { cuda_emulation::commit_copies(); }
template <int kPending>
void wait_for_copies() {
  cuda_emulation::wait_for_copies(kPending);
}

inline void multiply_add(float (&d)[4], std::uint32_t a0, std::uint32_t a1, std::uint32_t a2,
                         std::uint32_t a3, std::uint32_t b0, std::uint32_t b1) {
  cuda_emulation::multiply_add(d, {a0, a1, a2, a3}, {b0, b1});
}

}  // namespace speclab::engines::cuda
