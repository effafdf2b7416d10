#pragma once
// A fixed team of threads that runs one function at a time, with a barrier cheap enough to stand
// between layers' steps.

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace speclab::engines::cpu {

class ThreadTeam {
 public:
  /// @param size  threads, the caller included; >= 1. @throws ConfigError if the system starts no
  /// more
  explicit ThreadTeam(int size);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const { return size_; }
  /// Runs job(rank) on every thread and returns when all are done. A job that throws must not use
  /// barrier(); the first exception is thrown again here.
  void run(const std::function<void(int)>& job);
  /// All threads of the running job meet here.
  void barrier();
  /// Number of the next part of the work between two barriers that no thread has taken yet; counted
  /// from 0 after every barrier.
  int take() { return taken_.fetch_add(1, std::memory_order_relaxed); }

  /// Calls job(part) once for each part of [0, count), for work that is too short for a barrier.
  /// The caller takes parts from the first on, and threads that are awake take them from the last
  /// on. Nobody waits for a thread that took none, so a busy processor delays nothing.
  /// @param count  at most 65,535
  /// @param job    throws nothing and does not use the team
  void run_parts(int count, const std::function<void(int)>& job);

 private:
  enum class End : std::uint8_t { first, last };
  void stop();
  void work(int rank);
  void run_guarded(int rank);
  /// The part at one end of those that nobody has taken; -1 if all are taken.
  int take_part(End end);
  void work_on_parts(End end);

  int size_;
  const std::function<void(int)>* job_ = nullptr;
  std::atomic<std::uint32_t> generation_{0};
  std::atomic<int> arrived_{0};
  std::atomic<std::uint32_t> barrier_phase_{0};
  std::atomic<int> taken_{0};
  std::atomic<bool> stopping_{false};
  /// Parts [first, end) that nobody has taken: number of the call << 32 | first << 16 | end. A
  /// thread that looked during an earlier call can take none.
  std::atomic<std::uint64_t> open_parts_{0};
  std::atomic<int> unfinished_parts_{0};
  const std::function<void(int)>* part_job_ = nullptr;  ///< read by who has taken a part
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  std::vector<std::thread> workers_;
};

/// Part `rank` of [0, count) cut into `size` nearly equal ranges.
struct Range {
  int begin, end;
};
inline Range share(int count, int rank, int size) {
  return {static_cast<int>(static_cast<std::int64_t>(count) * rank / size),
          static_cast<int>(static_cast<std::int64_t>(count) * (rank + 1) / size)};
}

/// Threads to use when nobody says: OMP_NUM_THREADS if set, else the processors this process may
/// run on.
int default_num_threads();

}  // namespace speclab::engines::cpu
