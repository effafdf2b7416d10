#pragma once
// The few instructions of the device that C++ has no name for. Tests put a header of the same name
// and meaning in its place.

#include <cuda_bf16.h>
#include <math_constants.h>

#include <cstdint>

namespace speclab::engines::cuda {

/// The memory that the launch gave to a thread block.
template <typename T>
__device__ T* dynamic_shared() {
  extern __shared__ uint4 dynamic_shared_memory[];
  return reinterpret_cast<T*>(dynamic_shared_memory);
}

/// What a kernel relies on. The device does not look; the emulation throws where it does not hold.
__device__ inline void expect_in_emulation(bool, const char*) {}

/// Waits until the kernel before has ended and its writes are seen: everything above it overlaps
/// that kernel's end.
__device__ inline void wait_for_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Lets the next kernel start; it waits by itself for what this one writes.
__device__ inline void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// How much a copy brings into the second-level cache.
enum class CopyHint { none, fetch_256 };

template <CopyHint kHint>
__device__ inline void copy_async_16(void* shared, const void* global) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  if constexpr (kHint == CopyHint::fetch_256)
    asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16;" ::"r"(address), "l"(global)
                 : "memory");
  else
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(global)
                 : "memory");
}

__device__ inline void copy_async_4(void* shared, const void* global) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(global) : "memory");
}

__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits until at most `kPending` of this thread's committed groups are still under way.
template <int kPending>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

/// The device's clock.
__device__ inline std::uint64_t device_nanoseconds() {
  std::uint64_t time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}

/// Writes to pinned memory after everything that this thread wrote there before.
__device__ inline void write_to_host_last(std::uint32_t* address, std::uint32_t value) {
  __threadfence_system();
  *static_cast<volatile std::uint32_t*>(address) = value;
}

/// d += a b for one 16 x 8 tile and 16 columns of a. Lane l holds of d rows l / 4 and l / 4 + 8,
/// columns 2 (l % 4) and the next.
__device__ inline void multiply_add(float (&d)[4], std::uint32_t a0, std::uint32_t a1,
                                    std::uint32_t a2, std::uint32_t a3, std::uint32_t b0,
                                    std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

}  // namespace speclab::engines::cuda
