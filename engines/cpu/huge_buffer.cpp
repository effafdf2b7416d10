#include "engines/cpu/huge_buffer.h"

#include <sys/mman.h>

#include <mutex>
#include <new>

namespace speclab::engines::cpu {
namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21;
constexpr std::size_t kPrefetchSlack = 8192;
constexpr std::size_t kSmallBuffer = std::size_t{4} << 20, kSharedBlock = std::size_t{32} << 20;
constexpr std::size_t kPage = 4096;  ///< of direct reads too

void* map_huge_pages(std::size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  madvise(p, bytes, MADV_HUGEPAGE);
  return p;
}

/// The block that small buffers are cut from. Its pages come with their first touch.
class SharedBlock {
 public:
  HugeBuffer cut(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (!block_ || used_ + bytes > kSharedBlock) {
      const std::size_t mapped = kSharedBlock + kPrefetchSlack;
      block_ = {map_huge_pages(mapped), [mapped](void* p) { munmap(p, mapped); }};
      used_ = 0;
    }
    void* p = static_cast<char*>(block_.get()) + used_;
    used_ += bytes;
    return HugeBuffer(p, HugeBufferDeleter{bytes, block_});
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<void> block_;
  std::size_t used_ = 0;
};

}  // namespace

void HugeBufferDeleter::operator()(void* p) const {
  if (!block) munmap(p, bytes);
}

std::size_t huge_buffer_bytes(std::size_t bytes) {
  return (bytes + kPrefetchSlack + kHugePage - 1) / kHugePage * kHugePage;
}

HugeBuffer make_huge_buffer(std::size_t bytes) {
  const std::size_t size = huge_buffer_bytes(bytes);
  void* p = map_huge_pages(size);
  madvise(p, size, MADV_POPULATE_WRITE);
  return HugeBuffer(p, HugeBufferDeleter{size});
}

std::size_t weight_buffer_bytes(std::size_t bytes) {
  return bytes > kSmallBuffer ? huge_buffer_bytes(bytes) : (bytes + kPage - 1) / kPage * kPage;
}

HugeBuffer make_weight_buffer(std::size_t bytes) {
  static SharedBlock shared;
  return bytes > kSmallBuffer ? make_huge_buffer(bytes) : shared.cut(weight_buffer_bytes(bytes));
}

}  // namespace speclab::engines::cpu
