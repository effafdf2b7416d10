#include "tests/support/cuda_emulation/fibers.h"

#include <algorithm>
#include <cstdlib>
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
    try {
      (*block.thread_)();
    } catch (...) {
      block.error_ = std::current_exception();
    }
    --block.alive_;
    if (block.at_barrier_.size() == block.alive_) block.open_barrier();
    block.give_way(fiber);
  }
}

/// Another thread goes on, until one comes back here; the jumps spare the system calls of
/// swapcontext.
void Block::give_way(Fiber& fiber) {
  if (_setjmp(fiber.place) == 0) go_on();
}

/// Jumps into any thread that can go on, or out of run_what_can where there is none.
void Block::go_on() {
  if (ready_.empty() || error_) _longjmp(end_, 1);
  current_ = pick();
  Fiber& fiber = *fibers_[current_];
  threadIdx = {static_cast<unsigned>(current_), 0, 0};
  if (std::exchange(fiber.is_started, true)) _longjmp(fiber.place, 1);
  setcontext(&fiber.start);
  std::abort();  // setcontext comes back where it fails
}

void Block::run(uint3 at, dim3 grid, const std::function<void()>& thread) {
  begin(at, grid, thread);
  finish();
}

bool Block::run_to_wait(uint3 at, dim3 grid, const std::function<void()>& thread) {
  begin(at, grid, thread);
  may_pass_wait_ = false;
  run_what_can();
  return alive_ == 0;
}

void Block::finish() {
  may_pass_wait_ = true;
  release(at_wait_);
  run_what_can();
  if (alive_ > 0) throw std::logic_error("the threads of a block wait for each other for ever");
}

void Block::begin(uint3 at, dim3 grid, const std::function<void()>& thread) {
  at_ = at;
  grid_ = grid;
  thread_ = &thread;
  barriers_ = arrivals_ = 0;
  std::fill(shared_.begin(), shared_.end(), std::uint8_t{0xff});
  alive_ = fibers_.size();
  ready_.resize(alive_);
  std::iota(ready_.begin(), ready_.end(), std::size_t{0});
  for (const auto& fiber : fibers_) {
    fiber->copies.clear();
    fiber->groups = 0;
    fiber->has_fenced = false;
    fiber->barriers_at_fence = -1;
    fiber->arrivals_at_fence = 0;
  }
}

void Block::run_what_can() {
  running_block() = this;
  blockIdx = at_;
  blockDim = size_;
  gridDim = grid_;
  if (_setjmp(end_) == 0) go_on();
  running_block() = nullptr;
  if (error_) std::rethrow_exception(error_);
}

/// Any thread that can go on, drawn at random.
std::size_t Block::pick() {
  const std::size_t drawn = (std::uint64_t{random_()} * ready_.size()) >> 32;  // of 32 bits
  std::swap(ready_[drawn], ready_.back());
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

void Block::open_barrier() {
  ++barriers_;
  release(at_barrier_);
}

/// The last one to come does not wait.
void Block::synchronize() {
  if (at_barrier_.size() + 1 == alive_) return open_barrier();
  wait_among(at_barrier_);
}

void Block::wait_for_previous_kernel() {
  if (!may_pass_wait_) wait_among(at_wait_);
}

void Block::fence() {
  Fiber& fiber = *fibers_[current_];
  fiber.has_fenced = true;
  fiber.barriers_at_fence = barriers_;
  fiber.arrivals_at_fence = arrivals_;
}

/// A fence behind a barrier holds for what all threads wrote before the barrier.
void Block::arrive() {
  const bool holds_for_all =
      fibers_[current_]->barriers_at_fence == barriers_ && fibers_[current_]->has_fenced;
  if (!holds_for_all &&
      !std::ranges::all_of(fibers_, [](const auto& fiber) { return fiber->has_fenced; }))
    throw std::logic_error("an arrival without a fence before it");
  ++arrivals_;
  for (const auto& fiber : fibers_) fiber->has_fenced = false;
}

void Block::read_of_others() const {
  if (fibers_[current_]->arrivals_at_fence != arrivals_)
    throw std::logic_error("a read behind an arrival without a fence between them");
}

void Block::copy_later(const LateCopy& copy) {
  Fiber& fiber = *fibers_[current_];
  fiber.copies.push_back({copy.target, copy.source, copy.bytes, fiber.groups});
}

void Block::wait_for_copies(int pending) {
  Fiber& fiber = *fibers_[current_];
  const auto is_late = [&](const LateCopy& copy) { return copy.group >= fiber.groups - pending; };
  for (const LateCopy& copy : fiber.copies)
    if (!is_late(copy)) std::memcpy(copy.target, copy.source, copy.bytes);
  std::erase_if(fiber.copies, [&](const LateCopy& copy) { return !is_late(copy); });
}

void Block::exchange(const std::uint32_t* in, int count,
                     const std::function<void(Exchange&)>& compute, std::uint32_t* out,
                     int results) {
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
