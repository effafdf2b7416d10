#include "tests/support/heap_peak.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> now{0}, peak{0};

void* counted(void* memory) {
  if (!memory) throw std::bad_alloc();
  const std::size_t bytes = now += malloc_usable_size(memory);
  std::size_t seen = peak;
  while (bytes > seen && !peak.compare_exchange_weak(seen, bytes)) {
  }
  return memory;
}

void give_back(void* memory) {
  if (memory) now -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return counted(std::malloc(size)); }
void* operator new[](std::size_t size) { return counted(std::malloc(size)); }
void* operator new(std::size_t size, std::align_val_t align) {
  const auto step = static_cast<std::size_t>(align);
  return counted(std::aligned_alloc(step, (size + step - 1) / step * step));
}
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }

namespace speclab::testing {

std::size_t heap_bytes() { return now; }
std::size_t heap_peak() { return peak; }
void reset_heap_peak() { peak = now.load(); }

}  // namespace speclab::testing
