#pragma once
// The threads of one block as fibers that give way where they wait for each other, or for the
// kernel in front.

#include <setjmp.h>
#include <ucontext.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "cuda_runtime_api.h"

namespace speclab::cuda_emulation {

/// One asynchronous copy that has not landed yet.
struct LateCopy {
  void* target;
  const void* source;
  std::size_t bytes;
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
  /// @throws std::logic_error if they wait for each other for ever, or a fence is missing
  void run(uint3 block, dim3 grid, const std::function<void()>& thread);
  /// Runs all threads until they have ended or wait for the kernel in front. @return whether all
  /// have ended; else finish() follows
  bool run_to_wait(uint3 block, dim3 grid, const std::function<void()>& thread);
  void finish();

  void* shared() { return shared_.data(); }
  void synchronize();
  void wait_for_previous_kernel();
  void fence();
  /// This thread adds to a counter of the device: what the block has written is seen by who finds
  /// it there.
  /// @throws std::logic_error if a thread of the block has not fenced its writes, and this one has
  /// not since the last barrier
  void arrive();
  /// This thread reads what other blocks may have written. @throws std::logic_error if it has not
  /// fenced since the block's last arrival
  void read_of_others() const;
  void copy_later(const LateCopy& copy);
  void commit_copies() { ++fibers_[current_]->groups; }
  void wait_for_copies(int pending);
  /// Brings this lane's words, waits for the whole warp, lets the last lane compute, takes this
  /// lane's result.
  void exchange(const std::uint32_t* in, int count, const std::function<void(Exchange&)>& compute,
                std::uint32_t* out, int results);

 private:
  struct Fiber {
    ucontext_t start{};
    jmp_buf place{};
    bool is_started = false;
    std::vector<LateCopy> copies;
    int groups = 0;
    bool has_fenced = false;  ///< since the block's last arrival
    int barriers_at_fence = -1, arrivals_at_fence = 0;
  };
  [[noreturn]] static void enter();
  void begin(uint3 block, dim3 grid, const std::function<void()>& thread);
  void run_what_can();
  void give_way(Fiber& fiber);
  [[noreturn]] void go_on();
  void wait_among(std::vector<std::size_t>& waiting);
  void release(std::vector<std::size_t>& waiting);
  void open_barrier();
  std::size_t pick();

  dim3 size_;
  std::mt19937& random_;
  std::vector<std::uint8_t> shared_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<std::unique_ptr<std::uint8_t[]>> stacks_;
  std::vector<Exchange> warps_;
  jmp_buf end_{};  ///< of run_what_can
  std::size_t current_ = 0;
  std::vector<std::size_t> ready_, at_barrier_,
      at_wait_;  ///< fibers that can go on; those that wait for the whole block; for the kernel in
                 ///< front
  std::size_t alive_ = 0;
  uint3 at_{};
  dim3 grid_{};
  bool may_pass_wait_ = true;
  int barriers_ = 0, arrivals_ = 0;
  std::exception_ptr error_;  ///< thrown by a thread
  const std::function<void()>* thread_ = nullptr;
};

/// The block that runs now.
Block*& running_block();

}  // namespace speclab::cuda_emulation
