#pragma once
// The few instructions of the device that C++ has no name for.

#include <cuda_bf16.h>

#include <cstdint>

namespace speclab::engines::cuda {

/// Waits until the kernel before has ended and its writes are seen: everything above it overlaps that kernel's end.
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

__device__ inline void copy_async_16(void* shared, const void* global) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16;" ::"r"(address), "l"(global) : "memory");
}

__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits until at most `kPending` of this thread's committed groups are still under way.
template <int kPending>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

/// d += a b for one 16 x 8 tile and 16 columns of a. Lane l holds of d rows l / 4 and l / 4 + 8, columns 2 (l % 4) and the next.
__device__ inline void multiply_add(float (&d)[4], std::uint32_t a0, std::uint32_t a1, std::uint32_t a2, std::uint32_t a3, std::uint32_t b0, std::uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

/// d += a b over 32 columns: every lane brings 8 consecutive columns of its rows l / 4 and l / 4 + 8 of a, and of column l / 4 of b.
/// The instruction's own order of columns is another one, the same for a and b, so that the sum is over the same products.
__device__ inline void multiply_add_32(float (&d)[4], const uint4& low, const uint4& high, const uint4& b) {
  multiply_add(d, low.x, high.x, low.y, high.y, b.x, b.y);
  multiply_add(d, low.z, high.z, low.w, high.w, b.z, b.w);
}

__device__ inline std::uint16_t to_bfloat16(float value) { return __bfloat16_as_ushort(__float2bfloat16_rn(value)); }
__device__ inline float from_bfloat16(std::uint16_t bits) { return __uint_as_float(static_cast<std::uint32_t>(bits) << 16); }

__device__ inline std::uint32_t bfloat16_pair(float low, float high) {
  return static_cast<std::uint32_t>(to_bfloat16(low)) | static_cast<std::uint32_t>(to_bfloat16(high)) << 16;
}

}  // namespace speclab::engines::cuda
