#include "engines/cpu/thread_team.h"

#include <fmt/format.h>
#include <sched.h>

#include <cstdint>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "sim/system/errors.h"

namespace speclab::engines::cpu {
namespace {

constexpr int kSpinsBeforeYield = 2'000;  // some 50 us: as long as the steps between barriers
constexpr int kSpinsBeforeSleep = 200'000;

/// Spins until done() holds; yields to others when it takes long, so that a busy neighbour is not
/// starved.
template <typename Done>
void spin_until(Done done) {
  for (int spins = 0; !done(); ++spins) {
    if (spins < kSpinsBeforeYield)
      __builtin_ia32_pause();
    else
      sched_yield();
  }
}

}  // namespace

ThreadTeam::ThreadTeam(int size) : size_(size) {
  SPECLAB_EXPECT(size >= 1, "a team needs at least one thread");
  try {
    for (int rank = 1; rank < size; ++rank) workers_.emplace_back([this, rank] { work(rank); });
  } catch (const std::system_error& error) {
    stop();
    throw ConfigError(
        fmt::format("threads = {}: the system starts no more than {} ({}); ask for fewer", size,
                    workers_.size() + 1, error.what()));
  }
}

ThreadTeam::~ThreadTeam() { stop(); }

void ThreadTeam::stop() {
  stopping_ = true;
  ++generation_;
  generation_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadTeam::run(const std::function<void(int)>& job) {
  job_ = &job;
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  run_guarded(0);
  barrier();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadTeam::run_guarded(int rank) {
  try {
    (*job_)(rank);
  } catch (...) {
    const std::lock_guard lock(failure_mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void ThreadTeam::barrier() {
  const std::uint32_t phase = barrier_phase_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
    arrived_.store(0, std::memory_order_relaxed);
    taken_.store(0, std::memory_order_relaxed);
    barrier_phase_.store(phase + 1, std::memory_order_release);
    return;
  }
  spin_until([&] { return barrier_phase_.load(std::memory_order_acquire) != phase; });
}

int ThreadTeam::take_part(End end) {
  constexpr std::uint64_t kOneAtFirst = 1U << 16;
  std::uint64_t open = open_parts_.load(std::memory_order_acquire);
  while (true) {
    const auto first = static_cast<int>(open >> 16 & 0xFFFF),
               last = static_cast<int>(open & 0xFFFF);
    if (first == last) return -1;
    const std::uint64_t rest = end == End::first ? open + kOneAtFirst : open - 1;
    if (open_parts_.compare_exchange_weak(open, rest, std::memory_order_acq_rel,
                                          std::memory_order_acquire))
      return end == End::first ? first : last - 1;
  }
}

void ThreadTeam::work_on_parts(End end) {
  for (int part; (part = take_part(end)) >= 0;) {
    (*part_job_)(part);
    unfinished_parts_.fetch_sub(1, std::memory_order_release);
  }
}

void ThreadTeam::run_parts(int count, const std::function<void(int)>& job) {
  SPECLAB_EXPECT(count >= 0 && count <= 0xFFFF, "a number of parts that 16 bits hold");
  part_job_ = &job;
  unfinished_parts_.store(count, std::memory_order_relaxed);
  const std::uint64_t call = (open_parts_.load(std::memory_order_relaxed) >> 32) + 1;
  open_parts_.store(call << 32 | static_cast<std::uint64_t>(count), std::memory_order_release);
  work_on_parts(End::first);
  spin_until([&] { return unfinished_parts_.load(std::memory_order_acquire) == 0; });
}

void ThreadTeam::work(int rank) {
  for (std::uint32_t seen = 0;;) {
    for (int spins = 0;
         generation_.load(std::memory_order_acquire) == seen && spins < kSpinsBeforeSleep;
         ++spins) {
      work_on_parts(End::last);
      __builtin_ia32_pause();
    }
    generation_.wait(seen, std::memory_order_acquire);
    ++seen;
    if (stopping_) return;
    run_guarded(rank);
    barrier();
  }
}

int default_num_threads() {
  if (const char* text = std::getenv("OMP_NUM_THREADS")) {
    const int wanted = std::atoi(text);
    if (wanted > 0) return wanted;
  }
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return 1;
}

}  // namespace speclab::engines::cpu
