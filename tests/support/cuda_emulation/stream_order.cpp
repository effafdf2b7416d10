#include "tests/support/cuda_emulation/stream_order.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "sim/system/errors.h"
#include "tests/support/cuda_emulation/fibers.h"

namespace speclab::cuda_emulation {
namespace {

constexpr std::size_t kMostWaiting =
    4;  ///< blocks of a kernel that run ahead of the kernel in front: their stacks take megabytes

std::mt19937& order_random() {
  static std::mt19937 random(1);
  return random;
}

/// Blocks by their number of threads, which are costly to make. One whose threads threw or wait for
/// ever never comes back.
class BlockPool {
 public:
  std::unique_ptr<Block> take(const Work& work) {
    auto& free = free_[work.block.x];
    if (free.empty()) free.push_back(std::make_unique<Block>(work.block, order_random()));
    std::unique_ptr<Block> block = std::move(free.back());
    free.pop_back();
    block->resize_shared(work.shared_bytes);
    return block;
  }
  void give_back(const Work& work, std::unique_ptr<Block> block) {
    free_[work.block.x].push_back(std::move(block));
  }

 private:
  std::map<unsigned, std::vector<std::unique_ptr<Block>>> free_;
};

BlockPool& pool() {
  static BlockPool blocks;
  return blocks;
}

/// One piece of work under way.
class Launch {
 public:
  explicit Launch(const Work& work)
      : work_(&work), ahead_(work.is_kernel ? work.grid.x * work.grid.y * work.grid.z : 0) {
    std::iota(ahead_.begin(), ahead_.end(), 0u);
    std::shuffle(ahead_.begin(), ahead_.end(), order_random());
  }

  bool has_started() const { return has_started_; }
  bool is_complete() const { return is_complete_; }
  bool overlaps() const { return work_->overlaps; }

  /// Runs blocks up to their wait, until enough of them wait.
  void start() {
    has_started_ = true;
    while (!ahead_.empty() && waiting_.size() < kMostWaiting) {
      std::unique_ptr<Block> block = pool().take(*work_);
      const bool has_ended = block->run_to_wait(next_place(), work_->grid, work_->run);
      if (has_ended)
        pool().give_back(*work_, std::move(block));
      else
        waiting_.push_back(std::move(block));
    }
    is_complete_ = work_->is_kernel && ahead_.empty() && waiting_.empty();
  }

  void finish() {
    has_started_ = is_complete_ = true;
    if (!work_->is_kernel) return work_->run();
    for (std::unique_ptr<Block>& block : waiting_) {
      block->finish();
      pool().give_back(*work_, std::move(block));
    }
    waiting_.clear();
    if (ahead_.empty()) return;
    std::unique_ptr<Block> block = pool().take(*work_);
    while (!ahead_.empty()) block->run(next_place(), work_->grid, work_->run);
    pool().give_back(*work_, std::move(block));
  }

 private:
  uint3 next_place() {
    const unsigned i = ahead_.back();
    ahead_.pop_back();
    return {i % work_->grid.x, i / work_->grid.x % work_->grid.y,
            i / work_->grid.x / work_->grid.y};
  }

  const Work* work_;
  std::vector<unsigned> ahead_;                  ///< blocks that have not begun
  std::vector<std::unique_ptr<Block>> waiting_;  ///< blocks at their wait
  bool has_started_ = false, is_complete_ = false;
};

/// Works of some streams under way.
class Course {
 public:
  explicit Course(std::span<const Work> works) : works_(works), places_(works.size()) {
    launches_.reserve(works.size());
    for (const Work& work : works) launches_.emplace_back(work);
    std::map<std::uint64_t, const Launch*> numbered;
    for (std::size_t i = 0; i < works.size(); ++i) numbered[works[i].number] = &launches_[i];
    // Work that is not here has ended.
    const auto launch_of = [&](std::uint64_t number) {
      const auto found = numbered.find(number);
      return found == numbered.end() ? nullptr : found->second;
    };
    for (std::size_t i = 0; i < works.size(); ++i) {
      places_[i].in_front = launch_of(works[i].in_front);
      for (const std::uint64_t number : works[i].awaited)
        if (const Launch* launch = launch_of(number)) places_[i].awaited.push_back(launch);
    }
  }

  bool is_complete() const { return std::ranges::all_of(launches_, &Launch::is_complete); }

  void start_all_that_may() {
    for (std::size_t i = 0; i < launches_.size(); ++i)
      if (!launches_[i].has_started() && may_start(i)) launches_[i].start();
  }

  /// Finishes the last launch of a stream that may go on, since nothing makes it wait for those
  /// before the one in front. Where several streams have such a launch, one is drawn.
  void finish_one() {
    std::map<std::uint64_t, std::size_t> last_of_stream;
    for (std::size_t i = 0; i < launches_.size(); ++i)
      if (launches_[i].has_started() && !launches_[i].is_complete() && is_free(i))
        last_of_stream[works_[i].stream] = i;
    SPECLAB_EXPECT(!last_of_stream.empty(), "works wait for one another");
    std::uniform_int_distribution<std::ptrdiff_t> any(0, std::ssize(last_of_stream) - 1);
    launches_[std::next(last_of_stream.begin(), any(order_random()))->second].finish();
  }

 private:
  struct Place {
    const Launch* in_front = nullptr;  ///< in its stream; null: nothing that runs yet
    std::vector<const Launch*> awaited;
  };

  bool has_what_it_awaits(std::size_t i) const {
    return std::ranges::all_of(places_[i].awaited, &Launch::is_complete);
  }
  bool is_free(std::size_t i) const {
    const Launch* in_front = places_[i].in_front;
    return has_what_it_awaits(i) && (in_front == nullptr || in_front->is_complete());
  }
  bool may_start(std::size_t i) const {
    return is_free(i) ||
           (has_what_it_awaits(i) && launches_[i].overlaps() && places_[i].in_front->has_started());
  }

  std::span<const Work> works_;
  std::vector<Launch> launches_;
  std::vector<Place> places_;
};

}  // namespace

void run_in_turn(std::span<const Work> works) {
  for (const Work& work : works) Launch(work).finish();
}

void run_adversarially(std::span<const Work> works) {
  Course course(works);
  while (!course.is_complete()) {
    course.start_all_that_may();
    course.finish_one();
  }
}

}  // namespace speclab::cuda_emulation
