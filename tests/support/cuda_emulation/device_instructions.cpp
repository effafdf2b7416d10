#include <algorithm>
#include <array>
#include <bit>

#include "engines/cuda/kernels/device_instructions.cuh"
#include "tests/support/cuda_emulation/fibers.h"

namespace speclab::cuda_emulation {
namespace {

float half_of(std::uint32_t pair, int half) {
  return std::bit_cast<float>((half == 0 ? pair << 16 : pair & 0xffff0000u));
}

/// Rows and columns of the operands by lane, as PTX ISA 9.7.14.5.8 gives them for m16n8k16.
void multiply_warp(Exchange& warp) {
  float a[16][16], b[16][8];
  for (int lane = 0; lane < 32; ++lane) {
    const int group = lane / 4, pair = lane % 4 * 2;
    for (int r = 0; r < 4; ++r)
      for (int half = 0; half < 2; ++half)
        a[group + r % 2 * 8][pair + r / 2 * 8 + half] = half_of(warp.in[lane][4 + r], half);
    for (int r = 0; r < 2; ++r)
      for (int half = 0; half < 2; ++half)
        b[pair + r * 8 + half][group] = half_of(warp.in[lane][8 + r], half);
  }
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) {
      const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      float sum = std::bit_cast<float>(warp.in[lane][i]);
      for (int k = 0; k < 16; ++k) sum += a[row][k] * b[k][column];
      warp.out[lane][i] = std::bit_cast<std::uint32_t>(sum);
    }
}

}  // namespace

void* shared_memory() { return running_block()->shared(); }
void synchronize_block() { running_block()->synchronize(); }
void wait_for_previous_kernel() { running_block()->wait_for_previous_kernel(); }
void fence() { running_block()->fence(); }
void arrive_at(const void* counter) {
  if (is_device_memory(counter)) running_block()->arrive();
}
void read_of_others() { running_block()->read_of_others(); }
void copy_later(void* target, const void* source, std::size_t bytes) {
  running_block()->copy_later({target, source, bytes, 0});
}
void commit_copies() { running_block()->commit_copies(); }
void wait_for_copies(int pending) { running_block()->wait_for_copies(pending); }

std::uint32_t shuffle_xor(std::uint32_t bits, int mask) {
  std::uint32_t result = 0;
  running_block()->exchange(
      &bits, 1,
      [mask](Exchange& warp) {
        for (int lane = 0; lane < 32; ++lane) warp.out[lane][0] = warp.in[lane ^ mask][0];
      },
      &result, 1);
  return result;
}

std::uint64_t shuffle_up(std::uint64_t bits, int distance) {
  const std::uint32_t in[2]{static_cast<std::uint32_t>(bits),
                            static_cast<std::uint32_t>(bits >> 32)};
  std::uint32_t out[2];
  running_block()->exchange(
      in, 2,
      [distance](Exchange& warp) {
        for (int lane = 0; lane < 32; ++lane)
          std::copy_n(warp.in[lane < distance ? lane : lane - distance], 2, warp.out[lane]);
      },
      out, 2);
  return out[0] | static_cast<std::uint64_t>(out[1]) << 32;
}

void multiply_add(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  std::array<std::uint32_t, 10> in{};
  for (std::size_t i = 0; i < 4; ++i) in[i] = std::bit_cast<std::uint32_t>(d[i]);
  std::copy_n(a, 4, in.begin() + 4);
  std::copy_n(b, 2, in.begin() + 8);
  std::array<std::uint32_t, 4> out{};
  running_block()->exchange(in.data(), 10, multiply_warp, out.data(), 4);
  for (std::size_t i = 0; i < 4; ++i) d[i] = std::bit_cast<float>(out[i]);
}

}  // namespace speclab::cuda_emulation
