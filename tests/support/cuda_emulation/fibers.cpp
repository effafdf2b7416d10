#include "tests/support/cuda_emulation/fibers.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace speclab::cuda_emulation {
namespace {

constexpr std::size_t kStackBytes = 64 * 1024;

}  // namespace

Block*& running_block() {
  static Block* block = nullptr;
  return block;
}

Block::Block(dim3 size, std::mt19937& random)
    : size_(size), random_(random), warps_((size.x + 31) / 32) {
  for (unsigned i = 0; i < size.x; ++i) {
    stacks_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(kStackBytes));
    fibers_.push_back(std::make_unique<Fiber>());
    ucontext_t& start = fibers_.back()->start;
    getcontext(&start);
    start.uc_stack.ss_sp = stacks_.back().get();
    start.uc_stack.ss_size = kStackBytes;
    makecontext(&start, &Block::enter, 0);
  }
}

/// A fiber lives as long as the block's object: it runs one thread after the other.
void Block::enter() {
  while (true) {
    Block& block = *running_block();
    Fiber& fiber = *block.fibers_[block.current_];
    (*block.thread_)();
    --block.alive_;
    if (block.at_barrier_.size() == block.alive_) block.release(block.at_barrier_);
    block.give_way(fiber);
  }
}

/// Back to the scheduler, until it comes here again; the jumps spare the system calls of swapcontext.
void Block::give_way(Fiber& fiber) {
  if (_setjmp(fiber.place) == 0) _longjmp(scheduler_, 1);
}

void Block::go_on(std::size_t thread) {
  Fiber& fiber = *fibers_[thread];
  current_ = thread;
  threadIdx = {static_cast<unsigned>(thread), 0, 0};
  if (_setjmp(scheduler_) != 0) return;
  if (std::exchange(fiber.is_started, true)) _longjmp(fiber.place, 1);
  setcontext(&fiber.start);
}

void Block::run(uint3 at, dim3 grid, const std::function<void()>& thread) {
  running_block() = this;
  thread_ = &thread;
  std::fill(shared_.begin(), shared_.end(), std::uint8_t{0xff});
  alive_ = fibers_.size();
  ready_.resize(alive_);
  std::iota(ready_.begin(), ready_.end(), std::size_t{0});
  for (const auto& fiber : fibers_) {
    fiber->copies.clear();
    fiber->groups = 0;
  }
  blockIdx = at;
  blockDim = size_;
  gridDim = grid;
  while (alive_ > 0) go_on(pick());
  running_block() = nullptr;
}

/// Any thread that can go on, drawn at random.
std::size_t Block::pick() {
  if (ready_.empty()) throw std::logic_error("the threads of a block wait for each other for ever");
  std::swap(ready_[random_() % ready_.size()], ready_.back());
  const std::size_t thread = ready_.back();
  ready_.pop_back();
  return thread;
}

void Block::wait_among(std::vector<std::size_t>& waiting) {
  waiting.push_back(current_);
  give_way(*fibers_[current_]);
}

void Block::release(std::vector<std::size_t>& waiting) {
  ready_.insert(ready_.end(), waiting.begin(), waiting.end());
  waiting.clear();
}

/// The last one to come does not wait.
void Block::synchronize() {
  if (at_barrier_.size() + 1 == alive_) return release(at_barrier_);
  wait_among(at_barrier_);
}

void Block::copy_later(const LateCopy& copy) {
  Fiber& fiber = *fibers_[current_];
  fiber.copies.push_back({copy.target, copy.source, fiber.groups});
}

void Block::wait_for_copies(int pending) {
  Fiber& fiber = *fibers_[current_];
  const auto is_late = [&](const LateCopy& copy) { return copy.group >= fiber.groups - pending; };
  for (const LateCopy& copy : fiber.copies)
    if (!is_late(copy)) std::memcpy(copy.target, copy.source, 16);
  std::erase_if(fiber.copies, [&](const LateCopy& copy) { return !is_late(copy); });
}

void Block::exchange(const std::uint32_t* in, int count, const std::function<void(Exchange&)>& compute, std::uint32_t* out, int results) {
  const unsigned thread = threadIdx.x, lane = thread % 32;
  Exchange& warp = warps_[thread / 32];
  std::copy_n(in, count, warp.in[lane]);
  if (++warp.arrived == 32) {
    compute(warp);
    warp.arrived = 0;
    release(warp.waiting);
  } else {
    wait_among(warp.waiting);
  }
  std::copy_n(warp.out[lane], results, out);
}

}  // namespace speclab::cuda_emulation
