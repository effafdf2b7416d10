#pragma once
// The threads of one block as fibers that give way where they wait for each other.

#include <setjmp.h>
#include <ucontext.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "cuda_runtime_api.h"

namespace speclab::cuda_emulation {

/// One asynchronous copy of 16 bytes that has not landed yet.
struct LateCopy {
  void* target;
  const void* source;
  int group;
};

/// What the lanes of a warp bring to an instruction that they execute together.
struct Exchange {
  int arrived = 0;
  std::uint32_t in[32][10];
  std::uint32_t out[32][4];
  std::vector<std::size_t> waiting{};  ///< fibers of the lanes that are here already
};

class Block {
 public:
  Block(dim3 size, std::mt19937& random);

  /// Shared memory, which is filled with NaN before every run.
  void resize_shared(std::size_t bytes) { shared_.resize(bytes + 16); }

  /// Runs all threads to their end, at the given place of the grid.
  /// @throws std::logic_error if they wait for each other for ever
  void run(uint3 block, dim3 grid, const std::function<void()>& thread);

  void* shared() { return shared_.data(); }
  void synchronize();
  void copy_later(const LateCopy& copy);
  void commit_copies() { ++fibers_[current_]->groups; }
  void wait_for_copies(int pending);
  /// Brings this lane's words, waits for the whole warp, lets the last lane compute, takes this lane's result.
  void exchange(const std::uint32_t* in, int count, const std::function<void(Exchange&)>& compute, std::uint32_t* out, int results);

 private:
  struct Fiber {
    ucontext_t start{};
    jmp_buf place{};
    bool is_started = false;
    std::vector<LateCopy> copies;
    int groups = 0;
  };
  [[noreturn]] static void enter();
  void give_way(Fiber& fiber);
  void go_on(std::size_t thread);
  void wait_among(std::vector<std::size_t>& waiting);
  void release(std::vector<std::size_t>& waiting);
  std::size_t pick();

  dim3 size_;
  std::mt19937& random_;
  std::vector<std::uint8_t> shared_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<std::unique_ptr<std::uint8_t[]>> stacks_;
  std::vector<Exchange> warps_;
  jmp_buf scheduler_{};
  std::size_t current_ = 0;
  std::vector<std::size_t> ready_, at_barrier_;  ///< fibers that can go on; those that wait for the whole block
  std::size_t alive_ = 0;
  const std::function<void()>* thread_ = nullptr;
};

/// The block that runs now.
Block*& running_block();

}  // namespace speclab::cuda_emulation
