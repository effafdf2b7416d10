#include "engines/models/cpu/huge_buffer.h"

#include <sys/mman.h>

#include <new>

namespace speclab::engines::cpu {
namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21;
constexpr std::size_t kPrefetchSlack = 8192;

}  // namespace

void HugeBufferDeleter::operator()(void* p) const { munmap(p, bytes); }

std::size_t huge_buffer_bytes(std::size_t bytes) {
  return (bytes + kPrefetchSlack + kHugePage - 1) / kHugePage * kHugePage;
}

HugeBuffer make_huge_buffer(std::size_t bytes) {
  const std::size_t size = huge_buffer_bytes(bytes);
  void* p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  madvise(p, size, MADV_HUGEPAGE);
  madvise(p, size, MADV_POPULATE_WRITE);
  return HugeBuffer(p, HugeBufferDeleter{size});
}

}  // namespace speclab::engines::cpu
