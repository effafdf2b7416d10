#pragma once
#include <cstddef>
#include <memory>

namespace speclab::engines::cpu {

/// Releases what make_huge_buffer mapped.
struct HugeBufferDeleter {
  std::size_t bytes = 0;
  void operator()(void* p) const;
};
using HugeBuffer = std::unique_ptr<void, HugeBufferDeleter>;

/// Bytes of memory that a buffer of so many bytes takes: whole pages of 2 MiB.
std::size_t huge_buffer_bytes(std::size_t bytes);

/// Zeroed memory in huge pages where the system grants them (weights and caches are streamed, so
/// page walks are what it saves), present from the start where the kernel can do that (5.14 on), so
/// that no forward waits for a first touch, with 8 KiB behind the end that prefetches may touch.
/// @throws std::bad_alloc
HugeBuffer make_huge_buffer(std::size_t bytes);

}  // namespace speclab::engines::cpu
